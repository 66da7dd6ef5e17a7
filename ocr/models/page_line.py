"""What is known of one line of a page, and its one JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page.

    Attributes:
        polygon: Corners (x, y) in pixels of the page, clockwise from where reading begins.
        text: What it reads, never empty.
        confidence: How sure the reader is of the text, 0 to 1.
    """

    polygon: tuple[tuple[float, float], ...]
    text: str
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Return what bundles keep, the gateway answers and `ocrline predict` prints."""
        polygon = [[round(x, 2), round(y, 2)] for x, y in self.polygon]
        return {"text": self.text, "confidence": round(self.confidence, 4), "polygon": polygon}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "PageLine":
        """Read what `to_json` returned; KeyError, TypeError or ValueError for anything else."""
        return cls(
            polygon=tuple((float(x), float(y)) for x, y in content["polygon"]),
            text=str(content["text"]),
            confidence=float(content["confidence"]),
        )
