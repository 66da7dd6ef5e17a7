"""What is known of one line of a page, and its one JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Polygon = tuple[tuple[float, float], ...]
"""Corners (x, y) in pixels of the page, clockwise."""


@dataclass(frozen=True, slots=True)
class PageWord:
    """One word of a line.

    Attributes:
        polygon: The first corner is where the line's is.
        text: What it reads, never empty.
        confidence: How sure the reader is of the text, 0 to 1.
    """

    polygon: Polygon
    text: str
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Return it as `PageLine.to_json` has it."""
        return _to_json(self)


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page.

    Attributes:
        polygon: Corners (x, y) in pixels of the page, clockwise from where reading begins.
        text: What it reads, never empty.
        confidence: How sure the reader is of the text, 0 to 1.
        words: Its words, where they were asked for and are known.
    """

    polygon: Polygon
    text: str
    confidence: float
    words: tuple[PageWord, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what bundles keep, the gateway answers and `ocrline predict` prints."""
        words = {"words": [word.to_json() for word in self.words]} if self.words else {}
        return {**_to_json(self), **words}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "PageLine":
        """Read what `to_json` returned; KeyError, TypeError or ValueError for anything else.

        Words are left out.
        """
        return cls(
            polygon=tuple((float(x), float(y)) for x, y in content["polygon"]),
            text=str(content["text"]),
            confidence=float(content["confidence"]),
        )


def _to_json(read: PageLine | PageWord) -> dict[str, Any]:
    polygon = [[round(x, 2), round(y, 2)] for x, y in read.polygon]
    return {"text": read.text, "confidence": round(read.confidence, 4), "polygon": polygon}
