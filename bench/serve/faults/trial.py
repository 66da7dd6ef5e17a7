"""One fault under the steady load: what happened, what it cost, and how long it took."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import httpx

from bench.serve.faults.target import Target
from bench.serve.load_generator.generator import Outcome
from ocr.errors import OcrError

SLOW_S: Final = 1.0
"""Whoever waits longer for an answer notices."""
CALM_S: Final = 1.0


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and what should come of it.

    Attributes:
        name: For the table.
        do: Does it, waits until it is over, and says what happened.
        expected: What it should say.
        may_lose: Whether steady requests may get no answer.
        may_delay: Whether they may be told to come again.
    """

    name: str
    do: Callable[[Target], str]
    expected: str
    may_lose: bool = False
    may_delay: bool = False


@dataclass(frozen=True)
class Trial:
    """What came of a fault.

    Attributes:
        name: The fault's.
        happened: What it said.
        lost: Steady requests without the right answer.
        again: Steady requests that were told to come again, and did.
        slowest_s: Longest that a steady request waited for its answer.
        seconds: From the fault until it was over and steady requests were answered as before.
        faults: What should not be so.
    """

    name: str
    happened: str
    lost: int
    again: int
    slowest_s: float
    seconds: float
    faults: tuple[str, ...]


def try_fault(fault: Fault, target: Target) -> Trial:
    """Let a fault happen."""
    started_s = time.monotonic()
    try:
        happened = fault.do(target)
    except (OSError, OcrError, RuntimeError, LookupError, httpx.HTTPError) as error:
        happened = f"{type(error).__name__}: {error}"
    over_s = time.monotonic()
    time.sleep(CALM_S)
    target.load.settle()
    return judge(fault, happened, target.load.take(), started_s=started_s, over_s=over_s)


def judge(
    fault: Fault, happened: str, steady: Sequence[Outcome], *, started_s: float, over_s: float
) -> Trial:
    """Compare what happened, at these times and to these steady requests, with what should."""
    lost = [one for one in steady if one.failure or one.fault]
    again = [one for one in steady if one.again]
    hindered = [one for one in steady if one.done_s - one.due_s > SLOW_S]
    found = []
    if happened != fault.expected:
        found.append(f"expected: {fault.expected}")
    if lost and not fault.may_lose:
        found.append(f"{len(lost)} lost: {lost[0].failure or lost[0].fault}")
    if again and not fault.may_delay:
        found.append(f"{len(again)} were told to come again")
    return Trial(
        name=fault.name,
        happened=happened,
        lost=len(lost),
        again=len(again),
        slowest_s=max((one.done_s - one.due_s for one in steady), default=0.0),
        seconds=max([over_s, *(one.done_s for one in [*lost, *hindered])]) - started_s,
        faults=tuple(found),
    )
