"""The history of a model as a page of HTML."""

from collections.abc import Sequence

from ocr.lineage.history import Fate, History, VersionRow
from ocr.report.html import render_page
from ocr.report.lines.metrics import METRICS as LINE_METRICS
from ocr.report.pages.metrics import METRICS as PAGE_METRICS
from ocr.report.trend import TrendPoint, draw_trend

_STYLES: dict[Fate | None, str] = {
    "champion": "good",
    "was champion": "good",
    "accepted": "good",
    "held": "hold",
    "refused": "bad",
    "rejected": "bad",
    "not approved": "hold",
    "rolled back": "bad",
    "undone": "bad",
    None: "hold",
}
_SHOWN = LINE_METRICS | PAGE_METRICS


def render_history(history: History, metrics: Sequence[str]) -> str:
    """Render what became of every version, with a chart for each of the metrics."""
    charts = []
    for metric in metrics:
        shown = _SHOWN.get(metric)
        chart = draw_trend(_points(history, metric), title=f"{metric} by version")
        if chart:
            charts.append((shown.title if shown else metric, shown.note if shown else "", chart))
    return render_page(
        "history.html.jinja",
        name=history.name,
        test_set=history.test_set,
        samples=history.samples,
        charts=charts,
        rows=[_describe(row, history, metrics[0] if metrics else "") for row in history.rows],
    )


def _points(history: History, metric: str) -> list[TrendPoint]:
    by_version = {row.version: row for row in history.rows}
    return [
        TrendPoint(
            label=version[:6],
            interval=interval,
            style=_STYLES[by_version[version].fate],
            tip=f"{version}, {by_version[version].fate or 'not decided'}"
            + (f": {interval.value:.4f}" if interval else ""),
        )
        for version, interval in history.trend(metric)
    ]


def _describe(row: VersionRow, history: History, metric: str) -> dict[str, str]:
    interval, other = row.on(history.test_set).metrics.get(metric), ""
    if interval is None:
        interval, other = row.own.metrics.get(metric), " (other samples)"
    return {
        "version": row.version,
        "made": row.created[:16].replace("T", " ") or "gone",
        "fate": row.fate or "unknown",
        "at": row.at[:16].replace("T", " "),
        "value": f"{interval.value:.4f}{other}" if interval else "–",
        "why": row.why or "No decision of it is kept.",
    }
