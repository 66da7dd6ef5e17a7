"""What charts are made of; colours come from the page's style, so they follow light and dark."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

Point = tuple[float, float]


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


def svg(
    width: int, height: int, label: str, marks: Sequence[Markup], *, style: str = "chart"
) -> Markup:
    """Put marks into a drawing of so many pixels; the label is for those who do not see it."""
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
        "{}</svg>"
    ).format(style, width, height, width, height, label, Markup("").join(marks))


def polyline(style: str, points: Sequence[Point]) -> Markup:
    """Connect points by a line of a style sheet's class."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"/>').format(style, path)


def dot(x: float, y: float, *, radius: float, style: str, tip: str) -> Markup:
    """Draw a dot with a tip for who points at it."""
    return Markup(
        '<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"><title>{}</title></circle>'
    ).format(style, x, y, radius, tip)


def axes(
    across: Scale,
    up: Scale,
    *,
    xs: Sequence[float],
    ys: Sequence[float],
    label: Callable[[float], str],
    x_title: str,
    x_label: Callable[[float], str] | None = None,
) -> Iterator[Markup]:
    """Draw a grid with its labels and the title of the axis across."""
    grid = Markup('<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>')
    text = Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>')
    for y in ys:
        yield grid.format(across.start, across.end, up(y), up(y))
        yield text.format("tick y", across.start - 8, up(y) + 4, label(y))
    for x in xs:
        yield text.format("tick x", across(x), up.start + 18, (x_label or label)(x))
    yield text.format("tick title", across.end, up.start + 33, x_title)
