"""Receipt-like lines: text as printers set it, on paper."""

import random
from collections.abc import Sequence

import cv2
import numpy as np

from ocr.image.pixels import Image
from ocr.synthesis.fonts import Fonts
from ocr.synthesis.glyphs import Glyph, draw_glyph, stamp_row
from ocr.synthesis.ink import INKS, PAPERS, Ink, near, tint

SIZE_PX = 36


def paint_print(text: str, *, fonts: Fonts, rng: random.Random, clean: bool) -> Image:
    """Paint a printed line; a clean one without rules and neighbouring lines."""
    stroke = rng.choice((0, 0, 0, 1))
    glyphs = [draw_glyph(fonts[one], one, size_px=SIZE_PX, stroke_px=stroke) for one in text]
    spacing = rng.choice((0, 0, 0, 1, 3))
    margin_x, margin_y = rng.randint(3, 14), rng.randint(3, 9)
    ascent = max(12, max(-glyph.top_px for glyph in glyphs))
    descent = max(0, max(glyph.top_px + glyph.ink.shape[0] for glyph in glyphs))
    width = margin_x + sum(glyph.advance_px + spacing for glyph in glyphs)
    layer = np.zeros((ascent + descent + 2 * margin_y, round(width) + margin_x), np.uint8)
    stamp_row(layer, glyphs, x=margin_x, baseline=margin_y + ascent, spacing_px=spacing)
    if not clean:
        if rng.random() < 0.2:
            _stamp_neighbour(layer, rng.sample(glyphs, len(glyphs)), room_px=margin_y - 1, rng=rng)
        _rule(layer, rng=rng)
    paper = near(rng.choice(PAPERS), rng=rng, spread=10)
    return tint(layer, back=paper, ink=near(rng.choice(INKS), rng=rng, spread=15))


def _stamp_neighbour(
    layer: Ink, glyphs: Sequence[Glyph], *, room_px: int, rng: random.Random
) -> None:
    """The feet of the line above or the heads of the line below, as loose crops show them."""
    if rng.random() < 0.5:
        strip, baseline = layer[:room_px], room_px - 2
    else:
        strip, baseline = layer[-room_px:], 1 + max(-glyph.top_px for glyph in glyphs)
    stamp_row(strip, glyphs, x=rng.uniform(-20, 60), baseline=baseline)


def _rule(layer: Ink, *, rng: random.Random) -> None:
    """A line of a table beside the text, now and then."""
    height, width = layer.shape
    chance = rng.random()
    if chance < 0.12:
        y = rng.choice((1, height - 2))
        cv2.line(layer, (0, y), (width, y), rng.randint(120, 255), 1)
    elif chance < 0.2:
        x = rng.choice((1, width - 2))
        cv2.line(layer, (x, 0), (x, height), 255, rng.choice((1, 2)))
