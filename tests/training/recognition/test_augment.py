"""Augmentation of crops: centres move with the pixels."""

import cv2
import numpy as np
import pytest

from tests.training.recognition.toy_lines import draw_digits
from training.recognition.augment import augment_crop


@pytest.mark.parametrize("keep_height", [False, True])
def test_centres_move_with_the_pixels(keep_height: bool) -> None:
    image = np.zeros((40, 120, 3), np.uint8)
    cv2.circle(image, (80, 20), 4, (255, 255, 255), -1)
    errors = []

    for seed in range(20):
        moved, centres = augment_crop(
            image, np.array([[80.0, 20.0]]), width_px=128, height_px=32, strength=0.3,
            keep_height=keep_height, rng=np.random.default_rng(seed),
        )  # fmt: skip
        rows, columns = np.nonzero(cv2.GaussianBlur(moved[:, :, 0], (0, 0), 2) > 60)
        if len(rows):
            errors.append(np.abs([columns.mean(), rows.mean()] - centres[0]).max())

    assert np.median(errors) < 1.5


def test_no_augmentation_is_what_serving_does() -> None:
    image = draw_digits("123", rng=np.random.default_rng(0))

    plain, centres = augment_crop(
        image, np.array([[0.0, 0.0]]), width_px=96, height_px=40, strength=0,
        keep_height=False, rng=np.random.default_rng(0),
    )  # fmt: skip

    np.testing.assert_array_equal(plain, cv2.resize(image, (96, 40)))
    assert centres[0] == pytest.approx([0.5, 0.5])
