"""Single characters drawn with a font: as they are, in a row, or to fill a cell."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from ocr.synthesis.fonts import Font, open_face
from ocr.synthesis.ink import Ink, stamp


@dataclass(frozen=True)
class Glyph:
    """The ink of one character and where it sits.

    `left_px` and `top_px` lead from the pen on the baseline to the ink; a space has no ink.
    """

    ink: Ink
    left_px: int
    top_px: int
    advance_px: float


@lru_cache(maxsize=16384)
def draw_glyph(font: Font, character: str, *, size_px: int, stroke_px: int = 0) -> Glyph:
    """Draw one character on its own; the size is the em's, the stroke makes the font bolder."""
    face = open_face(font, size_px)
    mask, (left, top) = face.getmask2(
        character, "L", stroke_width=stroke_px, anchor="ls", stroke_filled=True
    )
    cover = np.frombuffer(bytes(mask), np.uint8).reshape(mask.size[::-1])
    x, y, width, height = cv2.boundingRect(cover) if cover.size else (0, 0, 0, 0)
    ink = cover[y : y + height, x : x + width]
    return Glyph(ink, left_px=left + x, top_px=top + y, advance_px=face.getlength(character))


def stamp_row(
    layer: Ink, glyphs: Iterable[Glyph], *, x: float, baseline: int, spacing_px: float = 0
) -> None:
    """Stamp glyphs one after another."""
    for glyph in glyphs:
        stamp(layer, glyph.ink, left_px=round(x) + glyph.left_px, top_px=baseline + glyph.top_px)
        x += glyph.advance_px + spacing_px


def fill_cell(cell: Ink, character: str, *, font: Font, stroke_px: int) -> None:
    """Stamp a capital, digit or ideograph so that it fills a cell, as on plates and counters.

    Narrow characters keep their width, points and dashes their size.
    """
    height, width = cell.shape
    glyph = draw_glyph(font, character, size_px=height * 4 // 3, stroke_px=stroke_px)
    ink = glyph.ink[:, :width]
    top = min(height + glyph.top_px, height - len(ink))
    high, wide = glyph.ink.shape
    if high >= 0.5 * height:
        fitted = max(round(wide * height / high), 2) if wide < 0.4 * high else width
        ink, top = cv2.resize(glyph.ink, (min(fitted, width), height)), 0
    stamp(cell, ink, left_px=(width - ink.shape[1]) // 2, top_px=top)


def can_fill_cells(text: str) -> bool:
    """Whether a text keeps its meaning when its letters are made one size (s and S would not)."""
    return all(c.isdigit() or c.isupper() or c in " -." or ord(c) >= 0x2E80 for c in text)
