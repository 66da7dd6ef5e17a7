"""One self-contained HTML file that says whether a candidate is good, and why."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ocr.evaluation.evaluation_report import EvaluationReport
from ocr.gate import Decision
from ocr.image import Image
from ocr.report.charts import Series, draw_calibration, draw_curves, draw_row_scale, smooth
from ocr.report.gallery import build_gallery, to_address
from ocr.report.lineage import Lineage, flatten
from ocr.report.tables import (
    list_confusions,
    list_metrics,
    list_slices,
    metric_floor,
    slice_floor,
)

VERDICTS = {
    "promote": "Promote",
    "hold": "Hold",
    "block": "Block",
}


def render_html(
    report: EvaluationReport,
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
    metrics_from, slices_from = metric_floor(report), slice_floor(report)
    return _TEMPLATES.get_template("report.html.jinja").render(
        report=report,
        decision=decision,
        verdict=VERDICTS[decision.verdict],
        lineage=lineage,
        parameters=list(flatten(lineage.parameters)),
        metrics=list_metrics(report, floor=metrics_from),
        metric_scale=draw_row_scale(lower=metrics_from, upper=1.0),
        slices=list_slices(report, floor=slices_from),
        slice_scale=draw_row_scale(lower=slices_from, upper=1.0),
        confusions=list_confusions(report),
        sections=build_gallery(report, images, most=gallery),
        calibration=_draw_calibration(report),
        curves=_draw_training(curves),
        composition=to_address(composition_png) if composition_png else "",
    )


def _draw_calibration(report: EvaluationReport) -> Markup:
    parts = [("candidate", report.candidate.calibration)]
    if report.baseline:
        parts.append(("baseline", report.baseline.calibration))
    return draw_calibration(parts)


def _draw_training(rows: Sequence[Mapping[str, Any]]) -> list[Markup]:
    losses = _points(rows, event="step", key="loss")
    charts = [
        draw_curves(
            [
                Series("loss", "raw", losses),
                Series("loss, smoothed", "candidate", smooth(losses)),
                Series(
                    "validation loss", "baseline", _points(rows, event="validation", key="loss")
                ),
            ],
            title="Loss over training steps",
            label=lambda value: f"{value:g}",
            to_zero=True,
        ),
        draw_curves(
            [
                Series("accuracy", "candidate", _points(rows, event="validation", key="accuracy")),
                Series("1-NED", "baseline", _points(rows, event="validation", key="ned")),
            ],
            title="Validation accuracy and 1-NED over training steps",
            label=lambda value: f"{100 * value:g}%",
        ),
    ]
    return [chart for chart in charts if chart]


def _points(
    rows: Sequence[Mapping[str, Any]], *, event: str, key: str
) -> list[tuple[float, float]]:
    return [
        (float(row["step"]), float(row[key]))
        for row in rows
        if row.get("event") == event and row.get(key) is not None
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _visible(text: str) -> str:
    """Show spaces, and say where there is no text at all."""
    return text.replace(" ", "␣") or "∅"


def _make_templates() -> jinja2.Environment:
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(percent=_percent, visible=_visible)
    return templates


_TEMPLATES = _make_templates()
