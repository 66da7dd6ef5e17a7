import random

import cv2
import numpy as np
import pytest
from shapely import Polygon

from ocr.synthesis.pages.camera import LONG_SIDE_PX, View, photograph_sheet
from ocr.synthesis.pages.sheet import Box, Sheet

VIEW = View(turn_deg=3, lean=0.05, surroundings=0.1, scanned_share=0.3)


def black_bar(*, width: int = 500, height: int = 400) -> Sheet:
    """A white sheet with one text, a black bar, and its box without a margin."""
    sheet = Sheet(width_px=width, height_px=height, paper=(255, 255, 255))
    left, top = width // 4, height // 2
    ink = Box(left, top, left + width // 2, top + height // 10)
    sheet.frame(ink, ink=(0, 0, 0), width_px=cv2.FILLED)
    sheet.texts = [(ink, "bar")]
    return sheet


def test_a_quad_goes_where_the_camera_sees_its_ink() -> None:
    for seed in range(60):
        image, quads = photograph_sheet(black_bar(), view=VIEW, strength=1, rng=random.Random(seed))

        x, y = quads[0].mean(axis=0).astype(int)
        window = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(window, cv2.boxPoints(cv2.minAreaRect(grown(quads[0]))).astype(int), 1)
        light = image.astype(np.float32).mean(axis=2)
        dark = (light < (light[y, x] + np.percentile(light[window > 0], 95)) / 2) & (window > 0)
        contours = cv2.findContours(
            dark.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
        )[0]
        seen = Polygon(max(contours, key=cv2.contourArea)[:, 0, :] + 0.5).buffer(0.5)
        said = Polygon(quads[0])
        assert seen.intersection(said).area / seen.union(said).area > 0.9


def grown(quad: np.ndarray) -> np.ndarray:
    """A quad with some of what is around it."""
    middle = quad.mean(axis=0)
    return np.asarray(middle + (quad - middle) * (1.1, 1.8), np.float32)


def test_strength_zero_leaves_the_sheet_as_it_is() -> None:
    sheet = black_bar()

    image, quads = photograph_sheet(sheet, view=VIEW, strength=0, rng=random.Random(0))

    assert np.array_equal(image, sheet.image)
    assert np.array_equal(quads[0], sheet.texts[0][0].corners())


@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_large_sheets_are_reduced_with_their_quads(strength: float) -> None:
    image, quads = photograph_sheet(
        black_bar(width=1500, height=2400), view=VIEW, strength=strength, rng=random.Random(1)
    )

    height, width = image.shape[:2]
    assert max(height, width) == LONG_SIDE_PX
    middle_x, middle_y = quads[0].mean(axis=0)
    assert image[round(middle_y), round(middle_x)].mean() < 100
    assert image[round(middle_y - 0.1 * height), round(middle_x)].mean() > 100
