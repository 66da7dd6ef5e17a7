"""The rows of the metrics table of pages."""

from ocr.evaluation.pages.report import PagesReport
from ocr.report.charts import draw_intervals, nice_ticks
from ocr.report.tables import MetricRow

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


def page_metric_floor(report: PagesReport) -> float:
    """Return a round share below every share of the metrics table."""
    models = [model for model in (report.candidate, report.baseline) if model]
    lowest = min(i.lower for model in models for i in model.intervals.values())
    return max(0.0, nice_ticks(lowest, 1.0)[0])


def list_page_metrics(report: PagesReport, *, floor: float) -> list[MetricRow]:
    """Return the rows of the metrics table; charts begin at `floor`."""
    ours = report.candidate.intervals
    theirs = report.baseline.intervals if report.baseline else {}
    return [
        MetricRow(
            title=title,
            note=note,
            candidate=ours[name],
            baseline=theirs.get(name),
            chart=draw_intervals(ours[name], theirs.get(name), lower=floor, upper=1.0),
        )
        for name, (title, note) in PAGE_METRICS.items()
    ]
