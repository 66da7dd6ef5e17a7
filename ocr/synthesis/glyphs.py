"""Single characters drawn with a font, and whether the font has them at all."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ocr.synthesis.fonts import Font, open_face

PROBE_PX = 20
NOT_A_CHARACTER = "\uffff"  # no font may have it, so it draws the box of a missing glyph
SPACES = " \u3000"


@dataclass(frozen=True)
class Glyph:
    """The ink of one character, (height, width) coverage 0..255, and where it sits.

    `left_px` and `top_px` lead from the pen on the baseline to the ink; a space has no ink.
    """

    ink: NDArray[np.uint8]
    left_px: int
    top_px: int
    advance_px: float


@lru_cache(maxsize=16384)
def draw_glyph(font: Font, character: str, *, size_px: int, stroke_px: int = 0) -> Glyph:
    """Draw one character on its own.

    Args:
        font: A font that has the character.
        character: What to draw.
        size_px: Size of the em.
        stroke_px: How much bolder than the font is.
    """
    face = open_face(font, size_px)
    left, top, right, bottom = (
        round(side) for side in face.getbbox(character, anchor="ls", stroke_width=stroke_px)
    )
    canvas = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
    ImageDraw.Draw(canvas).text(
        (-left, -top), character, fill=255, font=face, anchor="ls", stroke_width=stroke_px
    )
    # Pillow's box reaches down to the baseline, also under a dash.
    inner = canvas.getbbox() or (0, 0, 1, 1)
    ink = np.asarray(canvas.crop(inner))
    ink.setflags(write=False)
    return Glyph(
        ink=ink,
        left_px=left + inner[0],
        top_px=top + inner[1],
        advance_px=face.getlength(character),
    )


def missing_glyph(font: Font) -> bytes:
    """What a font draws in place of a character that it lacks."""
    return _coverage(font, NOT_A_CHARACTER)


def has_glyph(font: Font, character: str, *, missing: bytes) -> bool:
    """Whether a font has a character; `missing` is what `missing_glyph` says of the font."""
    if character in SPACES:
        return True
    coverage = _coverage(font, character)
    return any(coverage) and coverage != missing


def _coverage(font: Font, character: str) -> bytes:
    return bytes(open_face(font, PROBE_PX).getmask(character))
