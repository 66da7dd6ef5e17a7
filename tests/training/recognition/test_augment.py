"""Augmentation of crops: centres move with the pixels."""

import cv2
import numpy as np
import pytest

from tests.training.recognition.toy_lines import draw_digits
from training.recognition.augment import augment_crop


@pytest.mark.parametrize(("keep_height", "around_px"), [(False, 0), (True, 0), (True, 10)])
def test_centres_move_with_the_pixels(keep_height: bool, around_px: int) -> None:
    image = np.zeros((40, 120, 3), np.uint8)
    cv2.circle(image, (80, 20), 4, (255, 255, 255), -1)
    errors = []

    for seed in range(20):
        moved, centres = augment_crop(
            image, np.array([[80.0, 20.0]]), width_px=128, height_px=32, strength=0.3,
            keep_height=keep_height, rng=np.random.default_rng(seed), around_px=around_px,
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


def test_what_surrounds_a_line_is_not_in_the_crop_as_it_is_served() -> None:
    line = draw_digits("123", rng=np.random.default_rng(0))
    wide = cv2.copyMakeBorder(line, 10, 10, 10, 10, cv2.BORDER_CONSTANT, value=(0, 255, 0))

    plain, centres = augment_crop(
        wide, np.array([[10.0, 10.0]]), width_px=96, height_px=40, strength=0,
        keep_height=True, rng=np.random.default_rng(0), around_px=10,
    )  # fmt: skip

    np.testing.assert_array_equal(plain, cv2.resize(line, (96, 40)))
    assert centres[0] == pytest.approx([0.5, 0.5])


def test_the_sides_of_a_line_move_each_on_its_own() -> None:
    wide = np.full((58, 178, 3), 255, np.uint8)
    wide[13:-13, 13:-13] = 0

    seen = []
    for seed in range(60):
        crop, _ = augment_crop(
            wide, np.zeros((0, 2)), width_px=152, height_px=32, strength=0.5,
            keep_height=True, rng=np.random.default_rng(seed), around_px=13,
        )  # fmt: skip
        dark = crop.mean(axis=2) < 128
        along, across = dark.any(axis=0), dark.any(axis=1)
        ends = along.argmax(), along[::-1].argmax()
        seen.append([*ends, across.argmax(), across[::-1].argmax()])

    gaps_px = np.array(seen)
    assert (gaps_px.max(axis=0) >= 3).all()
    assert (gaps_px == 0).any(axis=0).all()
    left, right = gaps_px[:, :2].T
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.4
