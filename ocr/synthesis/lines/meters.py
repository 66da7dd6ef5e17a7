"""Meter-like lines: counters with a drum for each digit, and segment displays."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.fonts import Font
from ocr.synthesis.scene import Colour, Scene, fit_glyph, gray, near, stamp, tint
from ocr.synthesis.segments import SEGMENTS, draw_segments

DIGIT_HEIGHT_PX = 36
WHITE, BLACK, RED = gray(235), gray(25), (45, 40, 190)
# BGR of the ground and of what is lit: two LCDs, a red, a green and a blue display.
DISPLAYS: tuple[tuple[Colour, Colour], ...] = (
    ((150, 175, 165), (45, 50, 45)),
    ((120, 160, 130), (30, 35, 30)),
    ((20, 15, 25), (60, 50, 250)),
    ((20, 25, 15), (120, 250, 90)),
    ((40, 25, 15), (250, 220, 130)),
)


@dataclass(frozen=True)
class _Drums:
    """How the drums of one counter look."""

    digit_width_px: int
    pad_x: int
    pad_y: int
    back: Colour
    ink: Colour
    stroke_px: int
    shading: NDArray[np.float32]  # (cell height, 1, 1)

    @property
    def cell_width_px(self) -> int:
        return self.digit_width_px + 2 * self.pad_x

    @property
    def cell_height_px(self) -> int:
        return DIGIT_HEIGHT_PX + 2 * self.pad_y


def paint_drums(text: str, *, fonts: Sequence[Font], rng: random.Random, clean: bool) -> Scene:
    """Paint a mechanical counter; drums after a point are red, as on gas and water meters.

    Args:
        text: One drum a character; a point is painted between two drums.
        fonts: One for each character.
        rng: Decides colours, gaps and how far a drum has turned.
        clean: Drums stand still and are not shaded.
    """
    drums = _choose_drums(rng, clean=clean)
    gap, edge, house = rng.randint(1, 7), rng.randint(2, 8), rng.choice((20, 45, 120, 190, 225))
    point_width = 10
    steps = [point_width if c == "." else drums.cell_width_px + gap for c in text]
    lefts = edge + np.cumsum([0, *steps])
    size = (drums.cell_height_px + 2 * edge, int(lefts[-1]) - gap + edge, 3)
    canvas = np.full(size, house, np.uint8)
    centres = np.zeros((len(text), 2))
    red_from = text.index(".") if "." in text else len(text)
    for place, (character, font) in enumerate(zip(text, fonts, strict=True)):
        left = int(lefts[place])
        if character == ".":
            x, y = left + (point_width - gap) // 2, edge + drums.cell_height_px - 6
            point = BLACK if house > 100 else WHITE
            cv2.circle(canvas, (x, y), 3, point, cv2.FILLED, cv2.LINE_AA)
            centres[place] = x, y
            continue
        turn = 0 if clean or rng.random() < 0.6 else rng.randint(-drums.pad_y, drums.pad_y)
        drum, centre = _paint_drum(
            character, font=font, drums=drums, turn_px=turn, red=place > red_from
        )
        canvas[edge : edge + drum.shape[0], left : left + drum.shape[1]] = drum
        centres[place] = left + centre[0], edge + centre[1]
    return Scene(image=canvas, centres_px=centres)


def paint_display(text: str, *, rng: random.Random, clean: bool) -> Scene:
    """Paint a seven-segment display.

    Args:
        text: Digits, minus signs and single points; a point takes no place of its own.
        rng: Decides colours, slant, thickness and gaps.
        clean: The segments that are off do not show.
    """
    back, lit = rng.choice(DISPLAYS)
    back, lit = near(back, rng=rng, spread=12), near(lit, rng=rng, spread=12)
    height = DIGIT_HEIGHT_PX
    width, gap = round(height * rng.uniform(0.5, 0.66)), round(height * rng.uniform(0.18, 0.3))
    slant, thickness = rng.choice((0.0, 0.0, 0.1, 0.15)), rng.choice((0.1, 0.13, 0.16))
    edge_x, edge_y = rng.randint(6, 14), rng.randint(5, 12)
    shadow = 0.0 if clean else rng.choice((0.0, 0.05, 0.1))
    digits = sum(character != "." for character in text)
    size = (height + 2 * edge_y, digits * (width + gap) + 2 * edge_x)
    off, on = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    centres, x = np.zeros((len(text), 2)), edge_x
    for place, character in enumerate(text):
        if character == ".":
            point = (x - gap // 2 - 1, edge_y + height - 3)
            cv2.circle(on, point, 3, 255, cv2.FILLED, cv2.LINE_AA)
            centres[place] = point
            continue
        for shown, layer in (("8", off), (character, on)):
            ink = draw_segments(
                shown, width_px=width, height_px=height, thickness=thickness, slant=slant
            )
            stamp(layer, ink, left_px=x, top_px=edge_y)
        columns = np.flatnonzero(ink.any(axis=0))
        centres[place] = x + (columns[0] + columns[-1] + 1) / 2, edge_y + height / 2
        x += width + gap
    layer = np.maximum(on, (off * shadow).astype(np.uint8))
    return Scene(image=tint(layer, back=back, ink=lit), centres_px=centres)


def can_display(text: str) -> bool:
    """Whether a segment display has all characters of a text, points behind digits only."""
    return set(text) <= SEGMENTS.keys() | {"."} and ".." not in text and text[0] != "."


def _choose_drums(rng: random.Random, *, clean: bool) -> _Drums:
    dark, pad_y = rng.random() < 0.6, rng.randint(4, 8)
    back, ink = (gray(30), WHITE) if dark else (gray(225), BLACK)
    width = round(DIGIT_HEIGHT_PX * rng.uniform(0.54, 0.68))
    depth = 0.0 if clean else rng.uniform(0.2, 0.7)
    around = np.linspace(-1, 1, DIGIT_HEIGHT_PX + 2 * pad_y, dtype=np.float32)
    return _Drums(
        digit_width_px=width,
        pad_x=rng.randint(2, 6),
        pad_y=pad_y,
        back=near(back, rng=rng, spread=12),
        ink=near(ink, rng=rng, spread=12),
        stroke_px=rng.choice((0, 1, 1)),
        shading=(1 - np.float32(depth) * around**4)[:, None, None],
    )


def _paint_drum(
    character: str, *, font: Font, drums: _Drums, turn_px: int, red: bool
) -> tuple[NDArray[np.uint8], tuple[float, float]]:
    """One drum, (H, W, 3), and the centre of its character."""
    back, ink = (RED, WHITE) if red else (drums.back, drums.ink)
    width, height = drums.cell_width_px, drums.cell_height_px
    layer = np.zeros((height, width), np.uint8)
    if character.isspace():
        return tint(layer, back=back, ink=ink), (width / 2, height / 2)
    glyph, below = fit_glyph(
        font,
        character,
        width_px=drums.digit_width_px,
        height_px=DIGIT_HEIGHT_PX,
        stroke_px=drums.stroke_px,
    )
    x, y = (width - glyph.shape[1]) // 2, drums.pad_y + below + turn_px
    stamp(layer, glyph, left_px=x, top_px=y)
    shaded = (tint(layer, back=back, ink=ink) * drums.shading).astype(np.uint8)
    return shaded, (x + glyph.shape[1] / 2, y + glyph.shape[0] / 2)
