import random
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.synthesis.counters import can_display, paint_display, paint_drums
from ocr.synthesis.fonts import find_fonts
from ocr.synthesis.ink import Ink

AILERON = find_fonts([], system_folders=[])[0]
Paint = Callable[[str, random.Random], tuple[Image, Ink]]


def drums(text: str, rng: random.Random) -> tuple[Image, Ink]:
    return paint_drums(text, fonts=dict.fromkeys(text, AILERON), rng=rng)


def high_drums(text: str, rng: random.Random) -> tuple[Image, Ink]:
    return paint_drums(text, fonts=dict.fromkeys(text, AILERON), rng=rng, height_px=80)


def display(text: str, rng: random.Random) -> tuple[Image, Ink]:
    return paint_display(text, rng=rng)


@pytest.mark.parametrize("paint", [drums, high_drums, display])
def test_digits_are_where_the_ink_says(paint: Paint) -> None:
    for seed in range(30):
        image, ink = paint("8-3838.8", random.Random(seed))

        count, pieces = cv2.connectedComponents((ink > 127).astype(np.uint8))
        for piece in range(1, count):
            inside = pieces == piece
            around = cv2.dilate(inside.astype(np.uint8), np.ones((7, 7))) & (ink == 0)
            colours = [image[where].mean(axis=0) for where in (inside, around.astype(bool))]
            assert np.abs(colours[0] - colours[1]).max() > 50


@pytest.mark.parametrize("paint", [drums, high_drums, display])
def test_a_single_character_is_painted_whole(paint: Paint) -> None:
    for seed in range(10):
        _, ink = paint("8", random.Random(seed))

        x, y, width, height = cv2.boundingRect(ink)
        assert x >= 2
        assert y >= 2
        assert x + width <= ink.shape[1] - 2
        assert y + height <= ink.shape[0] - 2
        assert height >= 36


@pytest.mark.parametrize(
    ("text", "shown"),
    [("0123", True), ("-1.5", True), ("1..5", False), (".5", False), ("1A", False), ("1 2", False)],
)
def test_a_display_shows_digits_and_points_behind_digits(text: str, shown: bool) -> None:
    assert can_display(text) is shown
