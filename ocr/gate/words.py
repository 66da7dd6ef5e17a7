"""The words of the gate's reasons."""

from typing import Protocol

from ocr.evaluation.bootstrap import FEWEST_GROUPS
from ocr.evaluation.comparison import Comparison
from ocr.gate.evidence import Evidence


def describe_change(change: Comparison) -> str:
    """Say by how many points a metric changed, between which bounds."""
    return f"{signed(change.change)} points ({_bounds(change)})"


class Tested(Protocol):
    """What was read by candidate and opponent: the test, or a further set."""

    @property
    def opponent(self) -> str:
        """Whom the candidate met; empty: a required number."""

    @property
    def unit(self) -> str:
        """What a sample is, in the plural."""


def describe_both(evidence: Tested, metric: str, change: Comparison) -> str:
    """Say what candidate and opponent reach, and how far apart they are."""
    other = f"{change.opponent:.1%} of {evidence.opponent}"
    if not evidence.opponent:
        other = f"the required {change.opponent:.1%}"
    return (
        f"{metric} {change.candidate:.1%} against {other} "
        f"on {count_samples(evidence, change)}, {signed(change.change)} points "
        f"with 95% bounds {_bounds(change)}"
    )


def describe_latency(evidence: Evidence) -> str:
    """Say how long an image takes, beside whom, and on what machine."""
    latency = evidence.latency
    ratio = f", {latency.ratio:.2f} × that of {evidence.opponent}" if latency.ratio else ""
    return f"{latency.candidate.median_ms:.1f}{ratio} ({latency.machine})"


def count_samples(evidence: Tested, change: Comparison) -> str:
    """Say how many samples were compared, and of how many documents where these are fewer."""
    documents = f" of {change.groups} documents" if change.groups < change.n else ""
    return f"{change.n} {evidence.unit}{documents}"


def explain_few(evidence: Tested, change: Comparison) -> str:
    """Say that documents, or samples where these have none, are too few for bounds."""
    what = "documents" if change.groups < change.n else evidence.unit
    few = f"1 {what[:-1]} is" if change.groups == 1 else f"{change.groups} {what} are"
    return f"{few} too few to tell: {FEWEST_GROUPS} are needed"


def sentence(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]


def signed(share: float) -> str:
    """Percentage points with their sign."""
    return f"{100 * share:+.1f}".replace("-", "−")


def _bounds(change: Comparison) -> str:
    return f"{signed(change.lower)} to {signed(change.upper)}"
