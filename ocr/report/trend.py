"""The chart of a metric over the versions of a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ocr.evaluation.bootstrap import Interval
from ocr.report.charts import nice_ticks
from ocr.report.svg import Scale, axes, dot, polyline, svg

_MOST_LABELS = 8


@dataclass(frozen=True)
class TrendPoint:
    """A version; None where the metric was not measured on the same samples.

    `style` is the class of its dot in the style sheet, `tip` what it says to who points at it.
    """

    label: str
    interval: Interval | None
    style: str
    tip: str


def draw_trend(points: Sequence[TrendPoint], *, title: str) -> Markup:
    """Draw a metric with its intervals, version by version; nothing without a value."""
    known = [(at, each.interval) for at, each in enumerate(points) if each.interval]
    if not known:
        return Markup("")
    ys = nice_ticks(
        max(0.0, min(each.lower for _, each in known)), max(each.upper for _, each in known)
    )
    ys = [y for y in ys if y <= 1.0] if max(each.upper for _, each in known) <= 1.0 else ys
    across = Scale(-0.5, len(points) - 0.5, 52, 452)
    up = Scale(ys[0], ys[-1], 214, 14)
    every = -(-len(points) // _MOST_LABELS)
    labelled = [at for at in range(len(points)) if (len(points) - 1 - at) % every == 0]
    marks = [
        *axes(
            across,
            up,
            xs=labelled,
            ys=ys,
            label=lambda y: f"{y:.3g}",
            x_title="version",
            x_label=lambda at: points[int(at)].label,
        )
    ]
    marks.append(polyline("ideal", [(across(at), up(each.value)) for at, each in known]))
    bar = Markup('<line class="whisker {}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>')
    for at, each in known:
        x, point = across(at), points[at]
        marks.append(bar.format(point.style, x, x, up(each.lower), up(each.upper)))
        marks.append(dot(x, up(each.value), radius=4.5, style=point.style, tip=point.tip))
    return svg(480, 250, title, marks)
