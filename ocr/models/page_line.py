"""What is known of one line of a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page.

    Attributes:
        polygon: Corners (x, y) in pixels of the page, clockwise from where reading begins.
        text: What it reads, never empty.
        confidence: Of the text, 0 to 1.
    """

    polygon: tuple[tuple[float, float], ...]
    text: str
    confidence: float
