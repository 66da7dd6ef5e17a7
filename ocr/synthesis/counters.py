"""What meters count with: a drum for each digit, or a segment display."""

import random
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from ocr.synthesis.fonts import Fonts
from ocr.synthesis.glyphs import fill_cell
from ocr.synthesis.ink import Colour, Ink, gray, near, stamp, tint

LINE_PX = 36  # height of the digits of a line
POINT_PX = 10  # width of a point between two drums
WHITE, BLACK, RED = gray(235), gray(25), (45, 40, 190)
# BGR of the ground and of what is lit: two LCDs, a red, a green and a blue display.
DISPLAYS: tuple[tuple[Colour, Colour], ...] = (
    ((150, 175, 165), (45, 50, 45)), ((120, 160, 130), (30, 35, 30)), ((20, 15, 25), (60, 50, 250)),
    ((20, 25, 15), (120, 250, 90)), ((40, 25, 15), (250, 220, 130)),
)  # fmt: skip
SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg",
    "5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg", "-": "g",
}  # fmt: skip
# From where to where: columns 0 and 1, rows 0 to 2.
_ENDS = {
    "a": ((0, 0), (1, 0)), "b": ((1, 0), (1, 1)), "c": ((1, 1), (1, 2)), "d": ((0, 2), (1, 2)),
    "e": ((0, 1), (0, 2)), "f": ((0, 0), (0, 1)), "g": ((0, 1), (1, 1)),
}  # fmt: skip
_SHARPER = 4  # drawn this much larger, for smooth edges


def paint_drums(
    text: str, *, fonts: Fonts, rng: random.Random, clean: bool = False, height_px: int = LINE_PX
) -> tuple[Image, Ink]:
    """Paint a mechanical counter; drums after a point are red, as on gas and water meters.

    A point is painted between two drums; on a clean counter, drums stand still and have no shade.

    Returns:
        The counter, and the ink of its digits.
    """
    dark, pad_y = rng.random() < 0.6, rng.randint(4, 8)
    width, high = round(height_px * rng.uniform(0.54, 0.68)), height_px + 2 * pad_y
    depth, pad_x = 0.0 if clean else rng.uniform(0.2, 0.7), rng.randint(2, 6)
    colours = (gray(30), WHITE) if dark else (gray(225), BLACK)
    back, ink = (near(colour, rng=rng, spread=12) for colour in colours)
    stroke = rng.choice((0, 1, 1))
    gap, edge, house = rng.randint(1, 7), rng.randint(2, 8), rng.choice((20, 45, 120, 190, 225))
    shading = 1 - np.float32(depth) * np.linspace(-1, 1, high, dtype=np.float32) ** 4
    steps = [POINT_PX if character == "." else width + 2 * pad_x + gap for character in text]
    layer = np.zeros((high + 2 * edge, sum(steps) - gap + 2 * edge), np.uint8)
    counter = np.full((*layer.shape, 3), house, np.uint8)
    red_from, x = text.find(".") if "." in text else len(text), edge
    for place, character in enumerate(text):
        if character == ".":
            point = (x + (POINT_PX - gap) // 2, edge + high - 6)
            ground = BLACK if house > 100 else WHITE
            cv2.circle(counter, point, 3, ground, cv2.FILLED, cv2.LINE_AA)
        else:
            turn = 0 if clean or rng.random() < 0.6 else rng.randint(-pad_y, pad_y)
            top, left = edge + pad_y + turn, x + pad_x
            cell = layer[top : top + height_px, left : left + width]
            fill_cell(cell, character, font=fonts[character], stroke_px=stroke)
            drum = np.s_[edge : edge + high, x : left + width + pad_x]
            ground, figure = (RED, WHITE) if place > red_from else (back, ink)
            counter[drum] = tint(layer[drum], back=ground, ink=figure) * shading[:, None, None]
        x += steps[place]
    return counter, layer


def paint_display(
    text: str, *, rng: random.Random, clean: bool = False, height_px: int = LINE_PX
) -> tuple[Image, Ink]:
    """Paint a seven-segment display of a text that `can_display`; returns what `paint_drums` does.

    A point takes no place of its own; on a clean display, segments that are off do not show.
    """
    back, lit = (near(colour, rng=rng, spread=12) for colour in rng.choice(DISPLAYS))
    width = round(height_px * rng.uniform(0.5, 0.66))
    gap = round(height_px * rng.uniform(0.18, 0.3))
    slant, thickness = rng.choice((0.0, 0.0, 0.1, 0.15)), rng.choice((0.1, 0.13, 0.16))
    x, y = rng.randint(6, 14), rng.randint(5, 12)
    shadow = 0.0 if clean else rng.choice((0.0, 0.05, 0.1))
    digits = sum(character != "." for character in text)
    size = (height_px + 2 * y, digits * (width + gap) + 2 * x)
    off, on = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    for character in text:
        if character == ".":
            point = (x - gap // 2 - 1, y + height_px - 3)
            cv2.circle(on, point, 3, 255, cv2.FILLED, cv2.LINE_AA)
            continue
        for shown, layer in (("8", off), (character, on)):
            segments = _draw_segments(
                shown, width_px=width, height_px=height_px, thickness=thickness, slant=slant
            )
            stamp(layer, segments, left_px=x, top_px=y)
        x += width + gap
    return tint(np.maximum(on, (off * shadow).astype(np.uint8)), back=back, ink=lit), on


def can_display(text: str) -> bool:
    """Whether a segment display has all characters of a text, points behind digits only."""
    return set(text) <= SEGMENTS.keys() | {"."} and ".." not in text and text[0] != "."


@lru_cache(maxsize=1024)
def _draw_segments(
    character: str, *, width_px: int, height_px: int, thickness: float, slant: float
) -> Ink:
    """One of `SEGMENTS` to fill a cell; thickness and slant are shares of its height."""
    width, height = width_px * _SHARPER, height_px * _SHARPER
    bar = max(round(height * thickness), _SHARPER)
    lean, half = height * slant, bar / 2
    columns, rows = (half, width - lean - half), (half, height / 2, height - half)
    canvas = np.zeros((height, width), np.uint8)
    for segment in SEGMENTS[character]:
        start, end = (np.array((columns[column], rows[row])) for column, row in _ENDS[segment])
        outline = _outline(start, end, half=half, gap=bar * 0.12)
        outline[:, 0] += lean * (1 - outline[:, 1] / height)
        cv2.fillPoly(canvas, [np.rint(outline).astype(np.int32)], 255)
    ink = np.asarray(cv2.resize(canvas, (width_px, height_px), interpolation=cv2.INTER_AREA))
    ink.setflags(write=False)
    return ink


def _outline(
    start: NDArray[np.float64], end: NDArray[np.float64], *, half: float, gap: float
) -> NDArray[np.float64]:
    """A bar with pointed ends, (6, 2)."""
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]]) * half
    start, end = start + along * gap, end - along * gap
    first, last = start + along * half, end - along * half
    return np.array([start, first + across, last + across, end, last - across, first - across])
