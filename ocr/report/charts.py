"""Charts as inline SVG; colours come from the page's style, so they follow light and dark."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from markupsafe import Markup

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.lines.calibration import Calibration

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """A line of a chart; ``style`` is its class in the style sheet."""

    name: str
    style: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Scale:
    """Maps values from [lower, upper] to pixels from [start, end]."""

    lower: float
    upper: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value, clipped to the ends."""
        share = (value - self.lower) / ((self.upper - self.lower) or 1.0)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def draw_intervals(
    candidate: Interval, opponent: Interval | None, *, lower: float, upper: float
) -> Markup:
    """Draw one or two estimates with their whiskers on a row of a table."""
    scale = Scale(lower, upper, *_ROW)
    marks = [_rule(scale, 9 if opponent else 14)]
    marks.append(_whisker(scale, candidate, y=9 if opponent else 14, style="candidate"))
    if opponent:
        marks.insert(1, _rule(scale, 21))
        marks.append(_whisker(scale, opponent, y=21, style="opponent"))
    label = f"candidate {candidate.value:.1%}" + (
        f", opponent {opponent.value:.1%}" if opponent else ""
    )
    return _svg(220, 30, label, marks, style="row")


def draw_row_scale(*, lower: float, upper: float) -> Markup:
    """Label the ends of what `draw_intervals` draws, for the head of its column."""
    text = Markup('<text class="{}" x="{}" y="13">{:.0%}</text>')
    ends = [text.format("first", _ROW[0], lower), text.format("title", _ROW[1], upper)]
    return _svg(220, 18, f"from {lower:.0%} to {upper:.0%}", ends, style="row head")


def draw_calibration(parts: Sequence[tuple[str, Calibration]]) -> Markup:
    """Draw accuracy over confidence, one line a model ("candidate", "opponent"), dots by count."""
    across, up = Scale(0, 1, 48, 444), Scale(0, 1, 324, 14)
    marks = [*_axes(across, up, xs=_FIFTHS, ys=_FIFTHS, label=_percent, x_title="confidence")]
    marks.append(_line("ideal", [(across(0), up(0)), (across(1), up(1))]))
    for style, calibration in parts:
        most = max(item.n for item in calibration.bins)
        points = [(across(item.confidence), up(item.accuracy)) for item in calibration.bins]
        marks.append(_line(style, points))
        for item, (x, y) in zip(calibration.bins, points, strict=True):
            tip = f"{style}: {item.n} lines, {item.confidence:.2f} sure, {item.accuracy:.1%} right"
            marks.append(_dot(x, y, radius=3 + 5 * (item.n / most) ** 0.5, style=style, tip=tip))
    return _svg(480, 362, "Accuracy over confidence", marks)


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
    marks = [
        *_axes(across, up, xs=x_ticks, ys=y_ticks, label=label, x_title="step", x_label=_count)
    ]
    for item in series:
        kept = [(across(x), up(y)) for x, y in thin(item.points) if isfinite(y)]
        marks.append(_line(item.style, kept))
        if len(kept) == 1:
            marks.append(_dot(*kept[0], radius=3, style=item.style, tip=item.name))
    return _svg(480, 250, title, marks)


def nice_ticks(lower: float, upper: float, *, about: int = 5) -> list[float]:
    """Return round numbers that enclose [lower, upper]."""
    span = (upper - lower) or abs(upper) or 1.0
    rough = span / about
    magnitude = 10 ** floor(log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough)
    first, last = floor(lower / step + 1e-9), ceil(upper / step - 1e-9)
    return [round(step * position, 10) for position in range(first, max(last, first + 1) + 1)]


def smooth(points: Sequence[Point], *, weight: float = 0.8) -> list[Point]:
    """Return the exponential moving average of a curve, without the bias of its start."""
    average, total, smoothed = 0.0, 0.0, []
    for x, y in points:
        if isfinite(y):
            average, total = weight * average + (1 - weight) * y, weight * total + (1 - weight)
            smoothed.append((x, average / total))
    return smoothed


def thin(points: Sequence[Point], *, most: int = 400) -> Sequence[Point]:
    """Return at most about `most` points, evenly, the last one always."""
    stride = max(1, len(points) // most)
    return [*points[:-1:stride], *points[-1:]]


_ROW = (6.0, 214.0)
_FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def _percent(value: float) -> str:
    return f"{100 * value:g}%"


def _count(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 10_000 else f"{value:g}"


def _svg(
    width: int, height: int, label: str, marks: Sequence[Markup], *, style: str = "chart"
) -> Markup:
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        "{}</svg>"
    ).format(style, width, height, width, height, label, Markup("").join(marks))


def _rule(scale: Scale, y: float) -> Markup:
    return Markup('<line class="rule" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
        scale.start, scale.end, y, y
    )


def _whisker(scale: Scale, interval: Interval, *, y: float, style: str) -> Markup:
    lower, value, upper = (scale(v) for v in (interval.lower, interval.value, interval.upper))
    bar = Markup('<line class="whisker {}" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>')
    tip = f"{style} {interval.value:.1%}, 95% interval {interval.lower:.1%} to {interval.upper:.1%}"
    return bar.format(style, lower, upper, y, y) + _dot(value, y, radius=4.5, style=style, tip=tip)


def _dot(x: float, y: float, *, radius: float, style: str, tip: str) -> Markup:
    return Markup(
        '<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"><title>{}</title></circle>'
    ).format(style, x, y, radius, tip)


def _line(style: str, points: Sequence[Point]) -> Markup:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"/>').format(style, path)


def _axes(
    across: Scale,
    up: Scale,
    *,
    xs: Sequence[float],
    ys: Sequence[float],
    label: Callable[[float], str],
    x_title: str,
    x_label: Callable[[float], str] | None = None,
) -> Iterator[Markup]:
    grid = Markup('<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>')
    text = Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>')
    for y in ys:
        yield grid.format(across.start, across.end, up(y), up(y))
        yield text.format("tick y", across.start - 8, up(y) + 4, label(y))
    for x in xs:
        yield text.format("tick x", across(x), up.start + 18, (x_label or label)(x))
    yield text.format("tick title", across.end, up.start + 33, x_title)
