"""What of a soak is a fault: a request that failed, a wrong answer, anything that grows."""

from collections.abc import Collection, Sequence
from typing import Final

from bench.serve.soak.minutes import MINUTE_S, Minute

MOST_GROWTH: Final = 1.05
"""Of the memory, from the second minute, when every cache is warm, to the last."""
LEAST_ANSWERED: Final = 0.98
"""Of what is due in a minute: with less, it was not the load that it should have been."""


def judge(minutes: Sequence[Minute], *, rate: float, versions: Collection[str]) -> list[str]:
    """List what is wrong; nothing, if the gateway may go on for ever.

    Args:
        minutes: Two or more.
        rate: Requests that were due a second.
        versions: Each should have answered in each minute.
    """
    second, last = minutes[1], minutes[-1]
    found = [
        f"minute {one.number}: {one.errors} errors, {one.wrong} wrong answers: {one.example}"
        for one in minutes
        if one.errors or one.wrong
    ]
    found += [
        f"minute {one.number}: {', '.join(missing)} did not answer"
        for one in minutes
        if (missing := sorted(set(versions) - set(one.versions)))
    ]
    due = rate * MINUTE_S
    found += [
        f"minute {one.number}: {one.requests} requests were answered, {due:.0f} were due"
        for one in minutes
        if one.requests < due * LEAST_ANSWERED
    ]
    if last.pss_mib > second.pss_mib * MOST_GROWTH:
        found.append(f"memory grew from {second.pss_mib:.1f} to {last.pss_mib:.1f} MiB")
    if last.descriptors > second.descriptors:
        found.append(f"descriptors grew from {second.descriptors} to {last.descriptors}")
    if last.threads > second.threads:
        found.append(f"threads grew from {second.threads} to {last.threads}")
    return found
