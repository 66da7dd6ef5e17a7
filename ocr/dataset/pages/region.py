"""One labelled text region of a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """A polygon on a page and what it reads.

    Attributes:
        polygon: Corners (x, y) in pixels of the page, at least four, clockwise from the corner
            where reading begins.
        text: What it reads; empty where nobody transcribed it.
        ignored: Neither found nor missed counts: illegible, difficult, not to be read.
    """

    polygon: tuple[tuple[float, float], ...]
    text: str
    ignored: bool = False
