"""The rows of the report's tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import holm
from ocr.evaluation.confusion import Confusion
from ocr.evaluation.slices import SliceReport
from ocr.report.charts import draw_intervals, nice_ticks

Intervals = Mapping[str, Interval]

METRICS = {
    "accuracy": ("Accuracy", "exact match"),
    "accuracy_nfc": ("Accuracy, NFC", "exact match after Unicode normalisation"),
    "accuracy_spaceless": ("Accuracy without spaces", "PaddleOCR’s acc"),
    "accuracy_without_first": ("Accuracy without the first character", "and without spaces"),
    "ned": ("1-NED", "mean of 1 − edit distance / length, PaddleOCR’s norm_edit_dis"),
    "ned_without_first": ("1-NED without the first character", ""),
    "cer": ("CER", "edits / characters, less is better; a scale of its own"),
}
PAGE_METRICS = {
    "e2e_hmean": ("End-to-end Hmean", "found and read, but for case and spaces; the gate’s metric"),
    "e2e_precision": ("End-to-end precision", "of the boxes"),
    "e2e_recall": ("End-to-end recall", "of the labelled lines"),
    "e2e_hmean_exact": ("End-to-end Hmean, exact", "case and spaces count"),
    "e2e_ned": ("End-to-end 1-NED", "mean similarity of texts; missed and false lines count 0"),
    "hmean": ("Detection Hmean", "IoU above 0.5, PaddleOCR’s score"),
    "precision": ("Detection precision", "of the boxes"),
    "recall": ("Detection recall", "of the labelled regions"),
    "hmean_optimal": ("Detection Hmean, best matching", "instead of PaddleOCR’s greedy one"),
}
CONFUSIONS = 24


@dataclass(frozen=True)
class MetricRow:
    """One metric of both models, and its chart."""

    title: str
    note: str
    candidate: Interval
    opponent: Interval | None
    chart: Markup


@dataclass(frozen=True)
class SliceRow:
    """One slice, its chart, and whether it changed beyond chance."""

    part: SliceReport
    chart: Markup
    change: str


@dataclass(frozen=True)
class ConfusionRow:
    """One misreading with its bar as a share of the most frequent one."""

    confusion: Confusion
    share: float
    opponent_count: int | None


def metric_floor(ours: Intervals, theirs: Intervals) -> float:
    """Return a round share below every share of the metrics table."""
    shares = [i for part in (ours, theirs) for name, i in part.items() if name != "cer"]
    return max(0.0, nice_ticks(min(share.lower for share in shares), 1.0)[0])


def list_metrics(
    titles: Mapping[str, tuple[str, str]], ours: Intervals, theirs: Intervals, *, floor: float
) -> list[MetricRow]:
    """Return the rows of a metrics table.

    Args:
        titles: Title and note of each metric, by its name.
        ours: The candidate's.
        theirs: The opponent's; empty without one.
        floor: Where the charts of shares begin.
    """
    errors = [part["cer"].upper for part in (ours, theirs) if "cer" in part]
    most_errors = nice_ticks(0.0, max(errors, default=1.0))[-1]
    return [
        MetricRow(
            title=title,
            note=note,
            candidate=ours[name],
            opponent=theirs.get(name),
            chart=draw_intervals(
                ours[name],
                theirs.get(name),
                lower=0.0 if name == "cer" else floor,
                upper=most_errors if name == "cer" else 1.0,
            ),
        )
        for name, (title, note) in titles.items()
    ]


def slice_floor(slices: Sequence[SliceReport]) -> float:
    """Return a round share below every share of the slices table."""
    shares = [part.accuracy.lower for part in slices]
    shares += [part.opponent_accuracy for part in slices if part.opponent_accuracy is not None]
    return max(0.0, nice_ticks(min(shares, default=0.0), 1.0)[0])


def list_slices(slices: Sequence[SliceReport], *, floor: float) -> list[SliceRow]:
    """Return the rows of the slices table; charts begin at `floor`."""
    adjusted = holm([part.p_value for part in slices])
    return [
        SliceRow(
            part=part,
            chart=draw_intervals(part.accuracy, _as_point(part), lower=floor, upper=1.0),
            change=_describe_change(part, p_value),
        )
        for part, p_value in zip(slices, adjusted, strict=True)
    ]


def _as_point(part: SliceReport) -> Interval | None:
    share = part.opponent_accuracy
    return None if share is None else Interval(value=share, lower=share, upper=share)


def _describe_change(part: SliceReport, p_value: float) -> str:
    if p_value >= 0.05:
        return ""
    return "worse" if part.lost > part.gained else "better"


def list_confusions(
    candidate: Sequence[Confusion], opponent: Sequence[Confusion]
) -> list[ConfusionRow]:
    """Return the most frequent misreadings of the candidate, beside the opponent's counts."""
    ours = candidate[:CONFUSIONS]
    counts = {(item.expected, item.read): item.count for item in opponent}
    return [
        ConfusionRow(
            confusion=item,
            share=item.count / ours[0].count,
            opponent_count=counts.get((item.expected, item.read)),
        )
        for item in ours
    ]
