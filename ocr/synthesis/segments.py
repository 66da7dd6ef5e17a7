"""Seven-segment digits, as displays show them; no font of the system has them."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg",
    "5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg", "-": "g",
}  # fmt: skip
_SHARPER = 4  # drawn this much larger, for smooth edges


@lru_cache(maxsize=1024)
def draw_segments(
    character: str, *, width_px: int, height_px: int, thickness: float = 0.14, slant: float = 0.0
) -> NDArray[np.uint8]:
    """Draw a digit or a minus sign.

    Args:
        character: One of `SEGMENTS`.
        width_px: Width of the cell, slant included.
        height_px: Height of the cell.
        thickness: Of a segment, as a share of the height.
        slant: How far the top leans right, as a share of the height.

    Returns:
        Coverage 0..255, (height_px, width_px).
    """
    width, height = width_px * _SHARPER, height_px * _SHARPER
    bar = max(round(height * thickness), _SHARPER)
    lean = height * slant
    canvas = np.zeros((height, width), np.uint8)
    right, bottom, middle = width - lean, float(height), height / 2
    half, gap = bar / 2, bar * 0.12
    corners = {
        "tl": (half, half), "tr": (right - half, half),
        "ml": (half, middle), "mr": (right - half, middle),
        "bl": (half, bottom - half), "br": (right - half, bottom - half),
    }  # fmt: skip
    ends = {
        "a": ("tl", "tr"), "b": ("tr", "mr"), "c": ("mr", "br"), "d": ("bl", "br"),
        "e": ("ml", "bl"), "f": ("tl", "ml"), "g": ("ml", "mr"),
    }  # fmt: skip
    for segment in SEGMENTS[character]:
        start, end = (np.array(corners[name]) for name in ends[segment])
        outline = _bar_outline(start, end, half=half, gap=gap)
        outline[:, 0] += lean * (1 - outline[:, 1] / height)
        cv2.fillPoly(canvas, [np.rint(outline).astype(np.int32)], 255)
    ink = np.asarray(cv2.resize(canvas, (width_px, height_px), interpolation=cv2.INTER_AREA))
    ink.setflags(write=False)
    return ink


def _bar_outline(
    start: NDArray[np.float64], end: NDArray[np.float64], *, half: float, gap: float
) -> NDArray[np.float64]:
    """A bar with pointed ends, (6, 2)."""
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    start, end = start + along * gap, end - along * gap
    inner_start, inner_end = start + along * half, end - along * half
    return np.array(
        [
            start,
            inner_start + across * half,
            inner_end + across * half,
            end,
            inner_end - across * half,
            inner_start - across * half,
        ]
    )
