"""What is known of a candidate when it is judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.latency import Latency
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.slices import SliceReport
from ocr.gate.overlap import Overlap


@dataclass(frozen=True)
class Evidence:
    """What is known of a candidate.

    Attributes:
        n: Samples of the test.
        share: The metric that decides, between its 95 % bounds.
        comparison: Its change against the opponent; None: there is nothing to beat.
        slices: Parts of the test set.
        latency: How long an image takes, as of now; ``size_mb``: of the served model.
        has_parity: Whether every exported form reads as the checkpoint does.
        opponent: Whom the candidate met ("plates:1f3a"); empty: nobody, or a required number.
        is_opponent: The candidate is that very model.
        was_rolled_back: Somebody took it, or a version of the same nets, out of service.
        metric: What decides, in words; ``unit``: what a sample is, in the plural.
        overlap: What of the test the opponent was trained on; None: nobody trained it here.
        second_overlap: The same of the second recogniser of a cascade; None: there is none.
        judged_before: Other versions that were judged on this test; None: nobody knows.
        guards: Changes of other metrics, by name; none may be provably a loss.
    """

    n: int
    share: Interval
    comparison: Comparison | None
    slices: Sequence[SliceReport]
    latency: Latency
    size_mb: float
    has_parity: bool
    opponent: str
    is_opponent: bool
    was_rolled_back: bool
    metric: str
    unit: str
    overlap: Overlap | None
    second_overlap: Overlap | None
    judged_before: int | None
    guards: Mapping[str, Comparison]


@dataclass(frozen=True)
class FurtherSet:
    """What is known of a candidate on a further test set, and what is asked of it there.

    Attributes:
        name: The set's; ``n``: samples that were read of it.
        share: The metric that decides, between its 95 % bounds; ``other``: the opponent's.
        comparison: The change against the opponent; None: there is no champion to have forgotten.
        opponent: Whom the candidate met; empty: nobody.
        metric: What decides, in words; ``unit``: what a sample is, in the plural.
        margin: Loss that is allowed; ``floor``: of the metric.
        overlaps: What of the set a version was trained on, by its reference.
    """

    name: str
    n: int
    share: Interval
    other: Interval | None
    comparison: Comparison | None
    opponent: str
    metric: str
    unit: str
    margin: float
    floor: float
    overlaps: Mapping[str, Overlap]


def collect_line_evidence(
    report: LinesReport,
    *,
    latency: Latency,
    size_mb: float,
    has_parity: bool,
    was_rolled_back: bool,
    overlap: Overlap | None,
    judged_before: int | None,
) -> Evidence:
    """Take from an evaluation of lines what the gate looks at: the accuracy decides.

    Args:
        report: The evaluation.
        latency: How long an image takes.
        size_mb: Megabytes of the served model.
        has_parity: Whether every exported form reads as the checkpoint does.
        was_rolled_back: Somebody took it, or a version of the same nets, out of service.
        overlap: What of the test the opponent was trained on.
        judged_before: Other versions that were judged on this test; None: nobody knows.
    """
    metrics, other = report.candidate.metrics, report.opponent
    return Evidence(
        n=metrics.n,
        share=report.candidate.intervals["accuracy"],
        comparison=report.comparison,
        slices=report.slices,
        latency=latency,
        size_mb=size_mb,
        has_parity=has_parity,
        opponent=other.name if other else "",
        is_opponent=other is not None and other.name == report.candidate.name,
        was_rolled_back=was_rolled_back,
        metric="accuracy",
        unit="lines",
        overlap=overlap,
        second_overlap=None,
        judged_before=judged_before,
        guards={},
    )


def collect_page_evidence(
    report: PagesReport,
    *,
    latency: Latency,
    size_mb: float,
    has_parity: bool,
    was_rolled_back: bool,
    overlap: Overlap | None,
    second_overlap: Overlap | None,
    judged_before: int | None,
) -> Evidence:
    """Take from an evaluation of pages what the gate looks at: the end-to-end Hmean decides.

    Args:
        report: The evaluation.
        latency: How long an image takes.
        size_mb: Megabytes of the served models together.
        has_parity: Whether every exported form of both finds and reads as the checkpoints do.
        was_rolled_back: Somebody took it, or a version of the same nets, out of service.
        overlap: What of the test the opponent was trained on.
        second_overlap: The same of the second recogniser of a cascade.
        judged_before: Other versions that were judged on this test; None: nobody knows.
    """
    candidate, other = report.candidate, report.opponent
    return Evidence(
        n=candidate.metrics.pages,
        share=candidate.intervals["e2e_hmean"],
        comparison=report.comparison,
        slices=report.slices,
        latency=latency,
        size_mb=size_mb,
        has_parity=has_parity,
        opponent=other.name if other else "",
        is_opponent=other is not None and other.name == candidate.name,
        was_rolled_back=was_rolled_back,
        metric="e2e Hmean",
        unit="pages",
        overlap=overlap,
        second_overlap=second_overlap,
        judged_before=judged_before,
        guards={"detection Hmean": report.detection} if report.detection else {},
    )


def collect_further_lines(
    report: LinesReport,
    *,
    name: str,
    margin: float,
    floor: float,
    overlaps: Mapping[str, Overlap],
) -> FurtherSet:
    """Take from an evaluation of further lines what the gate looks at.

    Args:
        report: The evaluation.
        name: The set's.
        margin: Loss of accuracy that is allowed.
        floor: Of the accuracy.
        overlaps: What of the set a version was trained on, by its reference.
    """
    other = report.opponent
    return FurtherSet(
        name=name,
        n=report.candidate.metrics.n,
        share=report.candidate.intervals["accuracy"],
        other=other.intervals["accuracy"] if other else None,
        comparison=report.comparison,
        opponent=other.name if other else "",
        metric="accuracy",
        unit="lines",
        margin=margin,
        floor=floor,
        overlaps=overlaps,
    )


def collect_further_pages(
    report: PagesReport,
    *,
    name: str,
    margin: float,
    floor: float,
    overlaps: Mapping[str, Overlap],
) -> FurtherSet:
    """Take from an evaluation of further pages what the gate looks at.

    Args:
        report: The evaluation.
        name: The set's.
        margin: Loss of the end-to-end Hmean that is allowed.
        floor: Of that Hmean.
        overlaps: What of the set a version was trained on, by its reference.
    """
    other = report.opponent
    return FurtherSet(
        name=name,
        n=report.candidate.metrics.pages,
        share=report.candidate.intervals["e2e_hmean"],
        other=other.intervals["e2e_hmean"] if other else None,
        comparison=report.comparison,
        opponent=other.name if other else "",
        metric="e2e Hmean",
        unit="pages",
        margin=margin,
        floor=floor,
        overlaps=overlaps,
    )
