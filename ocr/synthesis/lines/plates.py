"""Plate-like lines: stamped characters of one width on a coloured plate, on a car."""

import random
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.fonts import Font
from ocr.synthesis.scene import Colour, Scene, fit_glyph, gray, is_ideograph, near, stamp, tint

CHARACTER_HEIGHT_PX = 44
# BGR of background and ink with how often they are seen: GA 36 blue, yellow, white, black.
STYLES: tuple[tuple[Colour, Colour, int], ...] = (
    ((180, 75, 15), (245, 245, 245), 12),
    ((30, 175, 235), (20, 20, 20), 3),
    ((235, 235, 235), (25, 25, 25), 2),
    ((25, 25, 25), (235, 235, 235), 1),
)
GREEN: tuple[Colour, Colour] = ((130, 200, 110), (25, 25, 20))
NEW_ENERGY_LENGTH = 8


def paint_plate(text: str, *, fonts: Sequence[Font], rng: random.Random) -> Scene:
    """Paint a plate.

    Args:
        text: Stamped without gaps; a Chinese plate also gets its dot, which is no character.
        fonts: One for each character.
        rng: Decides colours, gaps and surroundings.
    """
    chinese = is_ideograph(text[0])
    back, ink = _colours(rng, green=chinese and len(text) == NEW_ENERGY_LENGTH)
    height = CHARACTER_HEIGHT_PX
    width, gap, dot_gap = round(height * 0.5), round(height * rng.uniform(0.1, 0.16)), 0
    if chinese:
        dot_gap = round(height * 0.26)
    edge_x, edge_y = rng.randint(4, 9), rng.randint(8, 14)
    car = rng.randint(0, 7)
    inner_width = len(text) * (width + gap) - gap + dot_gap + 2 * edge_x
    layer = np.zeros((height + 2 * edge_y + 2 * car, inner_width + 2 * car), np.uint8)
    centres = np.zeros((len(text), 2))
    stroke = rng.choice((0, 1, 1, 2))
    x, y = car + edge_x, car + edge_y
    for place, (character, font) in enumerate(zip(text, fonts, strict=True)):
        if place == 2 and chinese:
            dot = (x + (dot_gap - gap) // 2, y + height // 2)
            cv2.circle(layer, dot, 3, 255, cv2.FILLED, cv2.LINE_AA)
            x += dot_gap
        centres[place] = _stamp_character(
            layer, character, font=font, x=x, y=y, width=width, stroke=stroke
        )
        x += width + gap
    if rng.random() < 0.8:
        _stamp_edge(layer, margin_px=car, rng=rng)
    plate = tint(layer, back=back, ink=ink)
    _mount(plate, margin_px=car, rng=rng)
    return Scene(image=plate, centres_px=centres)


def _colours(rng: random.Random, *, green: bool) -> tuple[Colour, Colour]:
    back, ink = GREEN
    if not green:
        back, ink, _ = rng.choices(STYLES, weights=[style[2] for style in STYLES])[0]
    return near(back, rng=rng, spread=25), near(ink, rng=rng, spread=15)


def _stamp_character(
    layer: NDArray[np.uint8],
    character: str,
    *,
    font: Font,
    x: int,
    y: int,
    width: int,
    stroke: int,
) -> tuple[float, float]:
    """Put one character into its cell; returns the centre of its ink."""
    height = CHARACTER_HEIGHT_PX
    if character.isspace():
        return x + width / 2, y + height / 2
    ink, below = fit_glyph(font, character, width_px=width, height_px=height, stroke_px=stroke)
    left, top = x + (width - ink.shape[1]) // 2, y + below
    stamp(layer, ink, left_px=left, top_px=top)
    return left + ink.shape[1] / 2, top + ink.shape[0] / 2


def _stamp_edge(layer: NDArray[np.uint8], *, margin_px: int, rng: random.Random) -> None:
    """The line along the rim."""
    height, width = layer.shape
    inset = margin_px + rng.randint(1, 3)
    corner = (width - inset - 1, height - inset - 1)
    cv2.rectangle(layer, (inset, inset), corner, 255, rng.choice((1, 1, 2)))


def _mount(plate: NDArray[np.uint8], *, margin_px: int, rng: random.Random) -> None:
    """The car around the plate, and the screws that hold it."""
    height, width = plate.shape[:2]
    car = rng.choice((15, 40, 90, 200, 235))
    plate[:margin_px] = plate[height - margin_px :] = car
    plate[:, :margin_px] = plate[:, width - margin_px :] = car
    if rng.random() < 0.6:
        screw = gray(rng.randint(60, 200))
        for x in (round(width * 0.27), round(width * 0.73)):
            for y in (margin_px + 4, height - margin_px - 5):
                cv2.circle(plate, (x, y), 2, screw, cv2.FILLED, cv2.LINE_AA)
