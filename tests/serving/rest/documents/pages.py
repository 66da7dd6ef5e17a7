"""Pages as the gateway answers them."""

import cmath
import math
from typing import Any

HOSTILE = "a]]>b<script>&\"'\0\x1b\ud800\ufffe)\\(c"
"""A text that is no text to XML or PDF; what may stand is `HOSTILE_KEPT`."""

HOSTILE_KEPT = "a]]>b<script>&\"')\\(c"


def page(
    *lines: dict[str, Any],
    number: int = 1,
    width: int = 640,
    height: int = 480,
    rotation: int = 0,
) -> dict[str, Any]:
    size = {"width": width, "height": height}
    return {"page": number, **size, "rotation": rotation, "lines": list(lines)}


def line(text: str, polygon: list[tuple[float, float]], **more: Any) -> dict[str, Any]:
    return {"text": text, "confidence": 0.975, "polygon": polygon, **more}


def word(
    text: str, polygon: list[tuple[float, float]], *, confidence: float = 0.9
) -> dict[str, Any]:
    return {"text": text, "confidence": confidence, "polygon": polygon}


def box(
    x: float, y: float, width: float, height: float, *, degrees: float = 0
) -> list[tuple[float, float]]:
    """Return the corners of a box from its first, turned clockwise round it."""
    turn, first = cmath.rect(1, math.radians(degrees)), complex(x, y)
    steps = (0, width, complex(width, height), complex(0, height))
    corners = (first + turn * step for step in steps)
    return [(round(corner.real, 2), round(corner.imag, 2)) for corner in corners]
