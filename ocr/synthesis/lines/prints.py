"""Receipt-like lines: text as printers set it, on paper."""

import random
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.fonts import Font
from ocr.synthesis.glyphs import Glyph, draw_glyph
from ocr.synthesis.scene import Colour, Scene, gray, near, stamp, tint

SIZE_PX = 36
PAPERS: tuple[Colour, ...] = (
    gray(250), gray(238), (225, 238, 245), (200, 225, 240), (235, 225, 215), gray(205),
    (170, 215, 240), (215, 230, 205),
)  # fmt: skip
INKS: tuple[Colour, ...] = (gray(15), gray(40), gray(80), (110, 50, 25), (60, 40, 130), gray(115))


def paint_print(text: str, *, fonts: Sequence[Font], rng: random.Random, clean: bool) -> Scene:
    """Paint a printed line.

    Args:
        text: The line.
        fonts: One for each character.
        rng: Decides paper, ink, weight and spacing.
        clean: Nothing but the line: no rules, no frames, no neighbouring lines.
    """
    stroke = rng.choice((0, 0, 0, 1))
    glyphs = [
        draw_glyph(font, character, size_px=SIZE_PX, stroke_px=stroke)
        for character, font in zip(text, fonts, strict=True)
    ]
    spacing = rng.choice((0.0, 0.0, 0.0, 1.0, 3.0))
    margin_x, margin_y = rng.randint(3, 14), rng.randint(3, 9)
    ascent = max(12, max(-glyph.top_px for glyph in glyphs))
    descent = max(0, max(glyph.top_px + glyph.ink.shape[0] for glyph in glyphs))
    pens = margin_x + np.cumsum([0.0, *(glyph.advance_px + spacing for glyph in glyphs)])
    baseline = margin_y + ascent
    size = (baseline + descent + margin_y, round(pens[-1]) + margin_x)
    layer, centres = np.zeros(size, np.uint8), np.zeros((len(text), 2))
    for place, glyph in enumerate(glyphs):
        centres[place] = _set_glyph(layer, glyph, pen=pens[place], line=baseline)
    if not clean:
        if rng.random() < 0.2:
            _set_neighbour(layer, rng.sample(glyphs, len(glyphs)), room_px=margin_y - 1, rng=rng)
        _rule(layer, rng=rng)
    paper = near(rng.choice(PAPERS), rng=rng, spread=10)
    ink = near(rng.choice(INKS), rng=rng, spread=15)
    return Scene(image=tint(layer, back=paper, ink=ink), centres_px=centres)


def _set_glyph(
    layer: NDArray[np.uint8], glyph: Glyph, *, pen: float, line: int
) -> tuple[float, float]:
    """Put one glyph at the pen; returns the centre of its ink, a space's of its gap."""
    height, width = glyph.ink.shape
    if not glyph.ink.any():
        return pen + glyph.advance_px / 2, line - SIZE_PX / 3
    left, top = round(pen) + glyph.left_px, line + glyph.top_px
    stamp(layer, glyph.ink, left_px=left, top_px=top)
    return left + width / 2, top + height / 2


def _set_neighbour(
    layer: NDArray[np.uint8], glyphs: Sequence[Glyph], *, room_px: int, rng: random.Random
) -> None:
    """The feet of the line above or the heads of the line below, as loose crops show them."""
    if rng.random() < 0.5:
        strip, line = layer[:room_px], room_px - 2
    else:
        strip, line = layer[-room_px:], 1 + max(-glyph.top_px for glyph in glyphs)
    pen = rng.uniform(-20, 60)
    for glyph in glyphs:
        _set_glyph(strip, glyph, pen=pen, line=line)
        pen += glyph.advance_px


def _rule(layer: NDArray[np.uint8], *, rng: random.Random) -> None:
    """A line of a table beside the text, now and then."""
    height, width = layer.shape
    chance = rng.random()
    if chance < 0.12:
        y = rng.choice((1, height - 2))
        cv2.line(layer, (0, y), (width, y), rng.randint(120, 255), 1)
    elif chance < 0.2:
        x = rng.choice((1, width - 2))
        cv2.line(layer, (x, 0), (x, height), 255, rng.choice((1, 2)))
