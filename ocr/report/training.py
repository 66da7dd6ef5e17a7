"""The curves of a training as charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ocr.report.charts import Series, draw_curves, smooth

# The scores of a detector's validations, and of a recogniser's.
_SCORES = {
    "hmean": "Hmean",
    "recall": "recall",
    "precision": "precision",
    "accuracy": "accuracy",
    "ned": "1-NED",
}
# Colours of the first, second and third score of a chart.
_STYLES = ("candidate", "opponent", "raw")


@dataclass(frozen=True)
class TrainingChart:
    """A chart with its title, and the names of its lines by their style."""

    title: str
    keys: dict[str, str]
    chart: Markup


def draw_training(rows: Sequence[Mapping[str, Any]]) -> list[TrainingChart]:
    """Draw the loss, and the scores of the validations; a chart without points is left out.

    Args:
        rows: Of the training's metrics.jsonl.
    """
    charts = [_draw_loss(rows), _draw_scores(rows)]
    return [chart for chart in charts if chart.chart]


def _draw_loss(rows: Sequence[Mapping[str, Any]]) -> TrainingChart:
    losses = _points(rows, event="step", key="loss")
    series = [
        Series("step", "raw", losses),
        Series("smoothed", "candidate", smooth(losses)),
        Series("validation", "opponent", _points(rows, event="validation", key="loss")),
    ]
    chart = draw_curves(
        series, title="Loss over training steps", label=lambda value: f"{value:g}", to_zero=True
    )
    return _with_keys("Loss", series, chart)


def _draw_scores(rows: Sequence[Mapping[str, Any]]) -> TrainingChart:
    measured = {key for row in rows if row.get("event") == "validation" for key in row}
    scores = {key: name for key, name in _SCORES.items() if key in measured}
    series = [
        Series(name, style, _points(rows, event="validation", key=key))
        for (key, name), style in zip(scores.items(), _STYLES, strict=False)
    ]
    chart = draw_curves(
        series,
        title=f"Validation over training steps: {', '.join(scores.values())}",
        label=lambda value: f"{100 * value:g}%",
    )
    return _with_keys("Validation", series, chart)


def _with_keys(title: str, series: Sequence[Series], chart: Markup) -> TrainingChart:
    return TrainingChart(title, {item.style: item.name for item in series if item.points}, chart)


def _points(
    rows: Sequence[Mapping[str, Any]], *, event: str, key: str
) -> list[tuple[float, float]]:
    return [
        (float(row["step"]), float(row[key]))
        for row in rows
        if row.get("event") == event and row.get(key) is not None
    ]
