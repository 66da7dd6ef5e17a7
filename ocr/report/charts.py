"""The charts that every report has: estimates with their whiskers, curves of a training."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from markupsafe import Markup

from ocr.evaluation.bootstrap import Interval
from ocr.report.svg import Point, Scale, axes, dot, polyline, svg

_ROW_PX = (6.0, 214.0)
_TICKS = 5
_SMOOTHNESS = 0.8
_MOST_POINTS = 400


@dataclass(frozen=True)
class Series:
    """A line of a chart; ``style`` is its class in the style sheet."""

    name: str
    style: str
    points: Sequence[Point]


def draw_intervals(
    candidate: Interval, opponent: Interval | None, *, lower: float, upper: float
) -> Markup:
    """Draw one or two estimates with their whiskers on a row of a table."""
    scale = Scale(lower, upper, *_ROW_PX)
    marks = [_rule(scale, 9 if opponent else 14)]
    marks.append(_whisker(scale, candidate, y=9 if opponent else 14, style="candidate"))
    if opponent:
        marks.insert(1, _rule(scale, 21))
        marks.append(_whisker(scale, opponent, y=21, style="opponent"))
    label = f"candidate {candidate.value:.1%}" + (
        f", opponent {opponent.value:.1%}" if opponent else ""
    )
    return svg(220, 30, label, marks, style="row")


def draw_row_scale(*, lower: float, upper: float) -> Markup:
    """Label the ends of what `draw_intervals` draws, for the head of its column."""
    text = Markup('<text class="{}" x="{}" y="13">{:.0%}</text>')
    ends = [text.format("first", _ROW_PX[0], lower), text.format("title", _ROW_PX[1], upper)]
    return svg(220, 18, f"from {lower:.0%} to {upper:.0%}", ends, style="row head")


def draw_curves(
    series: Sequence[Series], *, title: str, label: Callable[[float], str], to_zero: bool = False
) -> Markup:
    """Draw series over training steps."""
    points = [point for item in series for point in item.points if isfinite(point[1])]
    if not points:
        return Markup("")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    y_ticks = nice_ticks(0.0 if to_zero else min(ys), max(ys))
    x_ticks = [tick for tick in nice_ticks(0, max(xs)) if tick <= max(xs)]
    across = Scale(0, max(xs), 52, 452)
    up = Scale(y_ticks[0], y_ticks[-1], 214, 14)
    marks = [*axes(across, up, xs=x_ticks, ys=y_ticks, label=label, x_title="step", x_label=_count)]
    for item in series:
        kept = [(across(x), up(y)) for x, y in thin(item.points) if isfinite(y)]
        marks.append(polyline(item.style, kept))
        if len(kept) == 1:
            marks.append(dot(*kept[0], radius=3, style=item.style, tip=item.name))
    return svg(480, 250, title, marks)


def nice_ticks(lower: float, upper: float) -> list[float]:
    """Return round numbers that enclose [lower, upper]."""
    span = (upper - lower) or abs(upper) or 1.0
    rough = span / _TICKS
    magnitude = 10 ** floor(log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough)
    first, last = floor(lower / step + 1e-9), ceil(upper / step - 1e-9)
    return [round(step * position, 10) for position in range(first, max(last, first + 1) + 1)]


def smooth(points: Sequence[Point]) -> list[Point]:
    """Return the exponential moving average of a curve, without the bias of its start."""
    average, total, smoothed = 0.0, 0.0, []
    for x, y in points:
        if isfinite(y):
            average = _SMOOTHNESS * average + (1 - _SMOOTHNESS) * y
            total = _SMOOTHNESS * total + (1 - _SMOOTHNESS)
            smoothed.append((x, average / total))
    return smoothed


def thin(points: Sequence[Point]) -> Sequence[Point]:
    """Return at most 400 points, evenly, and the last one always."""
    stride = max(1, -(-len(points) // _MOST_POINTS))
    return [*points[:-1:stride], *points[-1:]]


def _count(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 10_000 else f"{value:g}"


def _rule(scale: Scale, y: float) -> Markup:
    return Markup('<line class="rule" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
        scale.start, scale.end, y, y
    )


def _whisker(scale: Scale, interval: Interval, *, y: float, style: str) -> Markup:
    lower, value, upper = (scale(v) for v in (interval.lower, interval.value, interval.upper))
    bar = Markup('<line class="whisker {}" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>')
    tip = f"{style} {interval.value:.1%}, 95% interval {interval.lower:.1%} to {interval.upper:.1%}"
    return bar.format(style, lower, upper, y, y) + dot(value, y, radius=4.5, style=style, tip=tip)
