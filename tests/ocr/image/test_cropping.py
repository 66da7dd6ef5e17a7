"""Crops of lines: the same as stock PaddleOCR's, and where boxes grow to."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.image.cropping import crop_line, grow_boxes
from ocr.image.pixels import Image
from tests.ocr.reading.stock_paddlex import stock_crops


def noise_page(height_px: int = 300, width_px: int = 400) -> Image:
    noise = np.random.default_rng(0).integers(0, 256, (height_px, width_px, 3), dtype=np.uint8)
    return np.asarray(cv2.GaussianBlur(noise, (5, 5), 0), dtype=np.uint8)


def turned_box(
    *, degrees: float, width_px: float = 120, height_px: float = 20
) -> NDArray[np.float32]:
    """Return a box round the middle of the page."""
    corners = cv2.boxPoints(((200.3, 150.6), (width_px, height_px), degrees))
    return np.asarray(corners, dtype=np.float32)


def box(left: float, top: float, right: float, bottom: float) -> NDArray[np.float32]:
    corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
    return np.array(corners, dtype=np.float32)


@pytest.mark.parametrize(
    "line",
    [
        *(turned_box(degrees=angle) for angle in (0, 3, 44, 46, 87, 90, -2, -30, -60, 133, 179)),
        turned_box(degrees=0, width_px=31, height_px=20.5),  # just over the upright aspect
        box(10, 10, 130, 32),
        box(10.7, 10.2, 130.9, 32.4),
        box(0, 0, 400, 300),  # the whole page
        box(-12, -5, 90, 20),  # over the border
        box(350, 280, 430, 310),
        box(7, 30, 20, 200),  # vertical
        np.array([[10, 10], [200, 14], [198, 60], [12, 40]], dtype=np.float32),
    ],
)
def test_a_crop_equals_stock_paddleocr(line: NDArray[np.float32]) -> None:
    page = noise_page()

    crop = crop_line(page, line)

    np.testing.assert_array_equal(crop, stock_crops(page, [line])[0])


def test_a_thousand_level_boxes_equal_stock_paddleocr() -> None:
    page = noise_page(1500, 1100)
    rng = np.random.default_rng(1)
    corners = rng.integers((0, 0), (1060, 1460), (1000, 2))
    sizes = rng.integers(5, (400, 40), (1000, 2))
    boxes = [
        box(x, y, min(x + w, 1100), min(y + h, 1500))
        for (x, y), (w, h) in zip(corners.tolist(), sizes.tolist(), strict=True)
    ]

    for line, expected in zip(boxes, stock_crops(page, boxes), strict=True):
        np.testing.assert_array_equal(crop_line(page, line), expected)


def test_the_top_of_a_vertical_line_is_on_the_left_of_its_crop() -> None:
    page = np.zeros((200, 100, 3), dtype=np.uint8)
    page[20:40, 30:50] = 255

    crop = crop_line(page, box(30, 20, 50, 120))

    assert crop.shape == (20, 100, 3)
    assert crop[:, :20].min() == 255
    assert crop[:, 20:].max() == 0


@pytest.mark.parametrize("line", [box(5, 5, 5, 5), box(5, 5, 60, 5.4), box(9, 2, 9, 40)])
def test_a_crop_is_never_empty(line: NDArray[np.float32]) -> None:
    assert crop_line(noise_page(), line).size > 0


def test_boxes_grow_on_every_side_by_a_share_of_the_shorter_side() -> None:
    grown = grow_boxes(np.stack([box(100, 50, 300, 100), box(20, 10, 45, 210)]), 0.08)

    np.testing.assert_array_equal(grown, [box(96, 46, 304, 104), box(18, 8, 47, 212)])


def test_turned_boxes_grow_along_their_own_sides() -> None:
    turned = cv2.boxPoints(((200.0, 150.0), (120.0, 50.0), 30.0))
    larger = cv2.boxPoints(((200.0, 150.0), (130.0, 60.0), 30.0))

    grown = grow_boxes(turned[None], 0.1)

    np.testing.assert_allclose(grown[0], larger, atol=0.51)


def test_a_box_without_extent_stays_where_it_is() -> None:
    point = box(7, 7, 7, 7)[None]

    np.testing.assert_array_equal(grow_boxes(point, 0.08), point)


def test_no_boxes_grow_to_no_boxes() -> None:
    assert grow_boxes(np.zeros((0, 4, 2), dtype=np.float32), 0.08).shape == (0, 4, 2)
