"""The tables of a report: metrics, slices, confusions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import holm
from ocr.evaluation.confusion import Confusion
from ocr.evaluation.report import EvaluationReport
from ocr.evaluation.slices import SliceReport
from ocr.gate.further import JudgedSet
from ocr.report.charts import draw_intervals, draw_row_scale, nice_ticks

CONFUSIONS = 24


@dataclass(frozen=True)
class Metric:
    """How a metric is shown; one of errors, where less is better, has a scale of its own."""

    title: str
    note: str
    is_error: bool = False


@dataclass(frozen=True)
class MetricRow:
    """One metric of both models, and its chart."""

    metric: Metric
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
class FurtherRow:
    """One further test set as judged, and its chart."""

    judged: JudgedSet
    chart: Markup


@dataclass(frozen=True)
class Table:
    """The rows of a table, and the scale of their charts."""

    rows: Sequence[MetricRow] | Sequence[SliceRow] | Sequence[FurtherRow]
    scale: Markup


@dataclass(frozen=True)
class ConfusionRow:
    """One misreading with its bar as a share of the most frequent one."""

    confusion: Confusion
    share: float
    opponent_count: int | None


def tabulate_metrics(metrics: Mapping[str, Metric], report: EvaluationReport) -> Table:
    """Return the table of metrics; its charts begin at a round share below all of them."""
    ours = report.candidate.intervals
    theirs = report.opponent.intervals if report.opponent else {}
    both = [(metric, ours[name], theirs.get(name)) for name, metric in metrics.items()]
    found = [(metric, part) for metric, *parts in both for part in parts if part]
    floor = _round_down(part.lower for metric, part in found if not metric.is_error)
    errors = [part.upper for metric, part in found if metric.is_error]
    most_errors = nice_ticks(0.0, max(errors, default=1.0))[-1]
    rows = [
        MetricRow(
            metric=metric,
            candidate=candidate,
            opponent=opponent,
            chart=draw_intervals(
                candidate,
                opponent,
                lower=0.0 if metric.is_error else floor,
                upper=most_errors if metric.is_error else 1.0,
            ),
        )
        for metric, candidate, opponent in both
    ]
    return Table(rows, scale=draw_row_scale(lower=floor, upper=1.0))


def tabulate_slices(slices: Sequence[SliceReport]) -> Table:
    """Return the table of slices; its charts begin at a round share below all of them."""
    shares = [part.opponent_accuracy for part in slices if part.opponent_accuracy is not None]
    floor = _round_down([*shares, *(part.accuracy.lower for part in slices)])
    adjusted = holm([part.p_value for part in slices])
    rows = [
        SliceRow(
            part=part,
            chart=draw_intervals(part.accuracy, _as_point(part), lower=floor, upper=1.0),
            change=_describe_change(part, p_value),
        )
        for part, p_value in zip(slices, adjusted, strict=True)
    ]
    return Table(rows, scale=draw_row_scale(lower=floor, upper=1.0))


def tabulate_further(sets: Sequence[JudgedSet]) -> Table:
    """Return the table of further test sets; its charts begin at a round share."""
    found = [each.found for each in sets]
    shares = [part.lower for each in found for part in (each.share, each.other) if part]
    floor = _round_down(shares)
    rows = [
        FurtherRow(each, draw_intervals(each.found.share, each.found.other, lower=floor, upper=1.0))
        for each in sets
    ]
    return Table(rows, scale=draw_row_scale(lower=floor, upper=1.0))


def list_confusions(report: EvaluationReport) -> list[ConfusionRow]:
    """Return the most frequent misreadings of the candidate, beside the opponent's counts."""
    ours = report.candidate.confusions[:CONFUSIONS]
    theirs = report.opponent.confusions if report.opponent else []
    counts = {(item.expected, item.read): item.count for item in theirs}
    return [
        ConfusionRow(
            confusion=item,
            share=item.count / ours[0].count,
            opponent_count=counts.get((item.expected, item.read)),
        )
        for item in ours
    ]


def _round_down(shares: Iterable[float]) -> float:
    return max(0.0, nice_ticks(min(shares, default=0.0), 1.0)[0])


def _as_point(part: SliceReport) -> Interval | None:
    share = part.opponent_accuracy
    return None if share is None else Interval(value=share, lower=share, upper=share)


def _describe_change(part: SliceReport, p_value: float) -> str:
    if p_value >= 0.05:
        return ""
    return "worse" if part.lost > part.gained else "better"
