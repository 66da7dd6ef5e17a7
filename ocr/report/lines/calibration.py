"""Accuracy over confidence as a chart."""

from collections.abc import Mapping

from markupsafe import Markup

from ocr.evaluation.lines.calibration import Calibration
from ocr.report.svg import Scale, axes, dot, polyline, svg

_FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def draw_calibration(models: Mapping[str, Calibration]) -> Markup:
    """Draw a line for each model ("candidate", "opponent"); a dot for each bin, by its count."""
    across, up = Scale(0, 1, 48, 444), Scale(0, 1, 324, 14)
    marks = [*axes(across, up, xs=_FIFTHS, ys=_FIFTHS, label=_percent, x_title="confidence")]
    marks.append(polyline("ideal", [(across(0), up(0)), (across(1), up(1))]))
    for style, calibration in models.items():
        most = max(item.n for item in calibration.bins)
        points = [(across(item.confidence), up(item.accuracy)) for item in calibration.bins]
        marks.append(polyline(style, points))
        for item, (x, y) in zip(calibration.bins, points, strict=True):
            tip = f"{style}: {item.n} lines, {item.confidence:.2f} sure, {item.accuracy:.1%} right"
            marks.append(dot(x, y, radius=3 + 5 * (item.n / most) ** 0.5, style=style, tip=tip))
    return svg(480, 362, "Accuracy over confidence", marks)


def _percent(value: float) -> str:
    return f"{100 * value:g}%"
