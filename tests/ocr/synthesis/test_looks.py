import random
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.synthesis.fonts import find_fonts
from ocr.synthesis.lines.meters import can_display, paint_display, paint_drums
from ocr.synthesis.lines.plates import paint_plate
from ocr.synthesis.scene import Scene, can_stamp

AILERON = find_fonts([], system_folders=[])[0]


def plate(text: str, rng: random.Random) -> Scene:
    return paint_plate(text, fonts=[AILERON] * len(text), rng=rng)


def drums(text: str, rng: random.Random) -> Scene:
    return paint_drums(text, fonts=[AILERON] * len(text), rng=rng, clean=False)


def display(text: str, rng: random.Random) -> Scene:
    return paint_display(text, rng=rng, clean=False)


def contrast_around(image: NDArray[np.uint8], centre: NDArray[np.float64]) -> int:
    x, y = (int(value) for value in centre)
    patch = image[y - 7 : y + 8, x - 7 : x + 8].astype(int)
    return int(np.ptp(patch, axis=(0, 1)).max())


@pytest.mark.parametrize("paint", [plate, drums, display])
def test_ink_is_where_the_centres_say(paint: Callable[[str, random.Random], Scene]) -> None:
    text = "8-3838.8"  # characters with ink in their middle

    for seed in range(30):
        scene = paint(text, random.Random(seed))
        assert min(contrast_around(scene.image, centre) for centre in scene.centres_px) > 50


@pytest.mark.parametrize("paint", [plate, drums, display])
def test_a_single_character_is_painted_whole(paint: Callable[[str, random.Random], Scene]) -> None:
    for seed in range(10):
        scene = paint("8", random.Random(seed))
        height, width = scene.image.shape[:2]
        assert (scene.centres_px > 8).all()
        assert (scene.centres_px < (width - 8, height - 8)).all()


@pytest.mark.parametrize(
    ("text", "shown"),
    [("0123", True), ("-1.5", True), ("1..5", False), (".5", False), ("1A", False), ("1 2", False)],
)
def test_a_display_shows_digits_and_points_behind_digits(text: str, shown: bool) -> None:
    assert can_display(text) is shown


@pytest.mark.parametrize(
    ("text", "stamped"), [("皖AB-12", True), ("ABC 1.2", True), ("Abc", False), ("A/B", False)]
)
def test_only_what_keeps_its_meaning_at_one_size_is_stamped(text: str, stamped: bool) -> None:
    assert can_stamp(text) is stamped
