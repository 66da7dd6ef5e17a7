import random
from dataclasses import replace

import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.synthesis.degrade import Camera, degrade

STEADY = Camera(blurred=0, moved=0, coarse=0, blur_px=2, motion=(0.1, 0.2), lost=0.6, light=0)


def stripes(*, width: int = 60, height: int = 40) -> Image:
    image = np.full((height, width, 3), 40, np.uint8)
    image[:, ::2] = 200
    return image


def contrast(image: Image) -> float:
    return float(image[5:-5, 5:-5].std())


def test_strength_zero_changes_nothing() -> None:
    image = stripes()

    assert degrade(image, camera=STEADY, strength=0, rng=random.Random(0)) is image


@pytest.mark.parametrize(
    "camera",
    [replace(STEADY, blurred=0.5), replace(STEADY, moved=0.5), replace(STEADY, coarse=0.5)],
)
def test_detail_is_lost_in_the_share_that_the_camera_says(camera: Camera) -> None:
    kept = [
        contrast(degrade(stripes(), camera=camera, strength=1, rng=random.Random(seed)))
        for seed in range(200)
    ]

    whole = contrast(stripes())
    assert np.mean(np.array(kept) < 0.95 * whole) == pytest.approx(0.5, abs=0.15)


def test_light_and_noise_follow_the_camera() -> None:
    flat = np.full((40, 60, 3), 120, np.uint8)

    spread = [
        np.mean(
            [
                degrade(
                    flat,
                    camera=replace(STEADY, light=light),
                    strength=1,
                    rng=random.Random(seed),
                ).std()
                for seed in range(40)
            ]
        )
        for light in (0.0, 0.6, 1.0)
    ]

    assert spread[0] < 1 < spread[1] < spread[2]
