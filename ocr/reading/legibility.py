"""How surely found lines read, which tells whether their page lies as it is to be read."""

import math
from collections.abc import Sequence

from ocr.image.cropping import UPRIGHT_ASPECT
from ocr.image.rectangle import Corners
from ocr.reading.recognition.ctc import Recognition

SHARPNESS = 4
"""Power of a confidence by which lines are weighed to find how a page lies."""

SURE_LEGIBILITY = 0.65
"""From this legibility of a character on, no other turn is tried: receipts that lie well have
0.74 to 0.93, upside down 0.50 to 0.57."""

FoundLine = tuple[Corners, Recognition]
"""A box (4, 2) and what it reads."""


def legibility(lines: Sequence[FoundLine]) -> float:
    """Return the characters that are surely read; those of a line up or down count half.

    Small nets are sure of nonsense, too: upside down, receipts read with confidences of 0.86
    instead of 0.97. The power of four tells them apart.

    A crop is laid on its side where it is upright, so a page that lies on its side may well read
    without being turned; but then its lines run up or down.
    """
    return sum(
        len(text.text) * text.confidence**SHARPNESS * (0.5 if _is_upright(box) else 1.0)
        for box, text in lines
        if text.text.strip()
    )


def reads_surely(lines: Sequence[FoundLine]) -> bool:
    """Whether lines read so well that no other turn of their page needs a trial."""
    characters = sum(len(text.text) for _, text in lines)
    return legibility(lines) >= SURE_LEGIBILITY * max(characters, 1)


def lies_well(lines: Sequence[FoundLine]) -> bool:
    """Whether lines read surely, and show that their page lies as it is to be read.

    Boxes that are nearly square show nothing: Chinese lines that run up or down fall apart into
    their characters, of which each reads surely as it lies.
    """
    long = [(box, text) for box, text in lines if not _is_square(box)]
    return 2 * len(long) >= len(lines) and reads_surely(long) and reads_surely(lines)


def _is_upright(box: Corners) -> bool:
    width_px, height_px = _size_px(box)
    return height_px >= UPRIGHT_ASPECT * width_px


def _is_square(box: Corners) -> bool:
    shorter_px, longer_px = sorted(_size_px(box))
    return longer_px < UPRIGHT_ASPECT * shorter_px


def _size_px(box: Corners) -> tuple[float, float]:
    top_left, top_right, _, bottom_left = box.tolist()
    return math.dist(top_left, top_right), math.dist(top_left, bottom_left)
