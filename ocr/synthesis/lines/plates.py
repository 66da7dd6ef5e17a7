"""Plate-like lines: stamped characters of one width on a coloured plate, on a car."""

import random

import cv2
import numpy as np

from ocr.image.pixels import Image
from ocr.synthesis.fonts import Fonts
from ocr.synthesis.glyphs import fill_cell
from ocr.synthesis.ink import Colour, gray, near, tint

CELL_PX = (22, 44)  # width and height of a character
# BGR of background and ink: blue, yellow, white, black (GA 36), and how often they are seen.
STYLES: tuple[tuple[Colour, Colour], ...] = (
    ((180, 75, 15), gray(245)), ((30, 175, 235), gray(20)), (gray(235), gray(25)),
    (gray(25), gray(235)),
)  # fmt: skip
SEEN = (12, 3, 2, 1)


def paint_plate(text: str, *, fonts: Fonts, rng: random.Random) -> Image:
    """Paint a plate; `rng` decides colours, gaps and surroundings."""
    back, ink = rng.choices(STYLES, weights=SEEN)[0]
    back, ink = near(back, rng=rng, spread=25), near(ink, rng=rng, spread=15)
    step = CELL_PX[0] + round(CELL_PX[1] * rng.uniform(0.1, 0.16))
    edge_x, edge_y, car = rng.randint(4, 9), rng.randint(8, 14), rng.randint(0, 7)
    width = (len(text) - 1) * step + CELL_PX[0] + 2 * (edge_x + car)
    height = CELL_PX[1] + 2 * (edge_y + car)
    layer = np.zeros((height, width), np.uint8)
    stroke = rng.choice((0, 1, 1, 2))
    y = car + edge_y
    for place, character in enumerate(text):
        x = car + edge_x + place * step
        cell = layer[y : y + CELL_PX[1], x : x + CELL_PX[0]]
        fill_cell(cell, character, font=fonts[character], stroke_px=stroke)
    if rng.random() < 0.8:  # a line along the rim
        inset = car + rng.randint(1, 3)
        corner = (width - inset - 1, height - inset - 1)
        cv2.rectangle(layer, (inset, inset), corner, 255, rng.choice((1, 1, 2)))
    plate = tint(layer, back=back, ink=ink)
    _mount(plate, margin_px=car, rng=rng)
    return plate


def _mount(plate: Image, *, margin_px: int, rng: random.Random) -> None:
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
