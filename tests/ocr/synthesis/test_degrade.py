import random

import numpy as np
import pytest

from ocr.synthesis.degrade import photograph
from ocr.synthesis.scene import Scene


def lamp(*, width: int, height: int) -> Scene:
    """A white spot in the dark, and its centre."""
    image = np.zeros((height, width, 3), np.uint8)
    x, y = width * 3 // 4, height // 3
    image[y - 4 : y + 4, x - 4 : x + 4] = 255
    return Scene(image=image, centres_px=np.array([[x, y]], np.float64))


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_centres_stay_on_what_they_mark(strength: float) -> None:
    for seed in range(60):
        photo = photograph(
            lamp(width=200, height=60), strength=strength, height_px=48, rng=random.Random(seed)
        )

        light = photo.image.mean(axis=2)
        x, y = photo.centres_px[0]
        near = light[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4]
        assert near.mean() > light.mean() + 25


def test_strength_zero_changes_nothing_but_the_size() -> None:
    scene = lamp(width=200, height=48)

    photo = photograph(scene, strength=0, height_px=48, rng=random.Random(0))

    assert np.array_equal(photo.image, scene.image)
    assert np.array_equal(photo.centres_px, scene.centres_px)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (4, 60), (5000, 20)])
def test_any_size_can_be_photographed(width: int, height: int) -> None:
    scene = Scene(image=np.full((height, width, 3), 90, np.uint8), centres_px=np.zeros((1, 2)))

    for seed in range(20):
        photo = photograph(scene, strength=2, height_px=32, rng=random.Random(seed))
        assert photo.image.shape[0] == 32
