"""One self-contained HTML file that says whether a candidate is good, and why."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ocr.evaluation.lines.report import LinesReport
from ocr.gate import Decision
from ocr.image.pixels import Image
from ocr.report.charts import draw_calibration, draw_row_scale
from ocr.report.lineage import Lineage, flatten
from ocr.report.lines.gallery import build_line_gallery, to_address
from ocr.report.tables import (
    METRICS,
    list_confusions,
    list_metrics,
    list_slices,
    metric_floor,
    slice_floor,
)
from ocr.report.templates import TEMPLATES, VERDICTS
from ocr.report.training import draw_training

SCORES = {"accuracy": "accuracy", "ned": "1-NED"}


def render_lines_html(
    report: LinesReport,
    decision: Decision,
    *,
    images: Mapping[str, Image],
    lineage: Lineage,
    curves: Sequence[Mapping[str, Any]] = (),
    composition_png: bytes = b"",
    gallery: int = 60,
) -> str:
    """Render the whole report; it needs nothing else to be read, neither scripts nor a network.

    Args:
        report: The evaluation.
        decision: The gate's answer to it.
        images: Image (H, W, 3) BGR by sample id, of the lines that `choose_lines` names.
        lineage: What made the candidate.
        curves: Rows of the training's metrics.jsonl.
        composition_png: Preview of composed crops, if there was composition.
        gallery: Misread lines to show.
    """
    ours = report.candidate.intervals
    theirs = report.opponent.intervals if report.opponent else {}
    metrics_from, slices_from = metric_floor(ours, theirs), slice_floor(report.slices)
    return TEMPLATES.get_template("report.html.jinja").render(
        report=report,
        decision=decision,
        verdict=VERDICTS[decision.verdict],
        lineage=lineage,
        parameters=list(flatten(lineage.parameters)),
        metrics=list_metrics(METRICS, ours, theirs, floor=metrics_from),
        metric_scale=draw_row_scale(lower=metrics_from, upper=1.0),
        slices=list_slices(report.slices, floor=slices_from),
        slice_scale=draw_row_scale(lower=slices_from, upper=1.0),
        confusions=list_confusions(
            report.candidate.confusions, report.opponent.confusions if report.opponent else []
        ),
        sections=build_line_gallery(report, images, most=gallery),
        calibration=_draw_calibration(report),
        curves=draw_training(curves, scores=SCORES),
        composition=to_address(composition_png) if composition_png else "",
    )


def _draw_calibration(report: LinesReport) -> Markup:
    parts = [("candidate", report.candidate.calibration)]
    if report.opponent:
        parts.append(("opponent", report.opponent.calibration))
    return draw_calibration(parts)
