import random

import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.synthesis.lines.camera import photograph


def lamp(*, width: int, height: int) -> Image:
    """A white spot in the dark."""
    image = np.zeros((height, width, 3), np.uint8)
    x, y = width * 3 // 4, height // 3
    image[y - 4 : y + 4, x - 4 : x + 4] = 255
    return image


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_what_is_on_a_line_stays_about_where_it_was(strength: float) -> None:
    for seed in range(60):
        photo = photograph(
            lamp(width=200, height=60), strength=strength, height_px=48, rng=random.Random(seed)
        )

        light = photo.mean(axis=2)
        y, x = np.unravel_index(light.argmax(), light.shape)
        assert x / photo.shape[1] == pytest.approx(0.75, abs=0.15)
        assert y / photo.shape[0] == pytest.approx(0.33, abs=0.3)


def test_strength_zero_changes_nothing_but_the_size() -> None:
    line = lamp(width=200, height=48)

    photo = photograph(line, strength=0, height_px=48, rng=random.Random(0))

    assert np.array_equal(photo, line)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (4, 60), (5000, 20)])
def test_any_size_can_be_photographed(width: int, height: int) -> None:
    line = np.full((height, width, 3), 90, np.uint8)

    for seed in range(20):
        photo = photograph(line, strength=2, height_px=32, rng=random.Random(seed))
        assert photo.shape[0] == 32
