"""The report of a pipeline: one self-contained HTML file, the decision first."""

from collections.abc import Mapping, Sequence
from typing import Any

from ocr.evaluation.pages.report import PagesReport
from ocr.gate import Decision
from ocr.image.pixels import Image
from ocr.report.charts import draw_row_scale
from ocr.report.lineage import Lineage, flatten
from ocr.report.pages.gallery import build_page_gallery
from ocr.report.tables import (
    PAGE_METRICS,
    list_confusions,
    list_metrics,
    list_slices,
    metric_floor,
    slice_floor,
)
from ocr.report.templates import TEMPLATES, VERDICTS
from ocr.report.training import TrainingChart, draw_training

SCORES = {
    "hmean": "Hmean",
    "recall": "recall",
    "precision": "precision",
    "accuracy": "accuracy",
    "ned": "1-NED",
}


def render_pages_html(
    report: PagesReport,
    decision: Decision,
    *,
    images: Mapping[str, Image],
    lineage: Lineage,
    parts: Sequence[Lineage] = (),
    curves: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    gallery: int = 24,
) -> str:
    """Render the whole report; it needs nothing else to be read, neither scripts nor a network.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        images: Image (H, W, 3) BGR by page id, of the pages that `choose_pages` names.
        lineage: What made the pipeline.
        parts: The same of its detector and its recogniser.
        curves: Rows of metrics.jsonl by the name of the training ("detector", "recogniser").
        gallery: Pages to show.
    """
    ours = report.candidate.intervals
    theirs = report.opponent.intervals if report.opponent else {}
    metrics_from, slices_from = metric_floor(ours, theirs), slice_floor(report.slices)
    return TEMPLATES.get_template("pages.html.jinja").render(
        report=report,
        decision=decision,
        verdict=VERDICTS[decision.verdict],
        lineage=lineage,
        parts=[(part, list(flatten(part.parameters))) for part in parts],
        parameters=list(flatten(lineage.parameters)),
        metrics=list_metrics(PAGE_METRICS, ours, theirs, floor=metrics_from),
        metric_scale=draw_row_scale(lower=metrics_from, upper=1.0),
        slices=list_slices(report.slices, floor=slices_from),
        slice_scale=draw_row_scale(lower=slices_from, upper=1.0),
        confusions=list_confusions(
            report.candidate.confusions, report.opponent.confusions if report.opponent else []
        ),
        sheets=build_page_gallery(report, images, most=gallery),
        trainings={name: _draw(rows) for name, rows in (curves or {}).items()},
    )


def _draw(rows: Sequence[Mapping[str, Any]]) -> list[TrainingChart]:
    measured = {key for row in rows if row.get("event") == "validation" for key in row}
    return draw_training(
        rows, scores={key: name for key, name in SCORES.items() if key in measured}
    )
