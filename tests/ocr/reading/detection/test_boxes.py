"""Boxes of a map: the same as stock PaddleOCR's, whatever the page."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.models.detector_spec import BoxRule
from ocr.reading.detection.boxes import Detections, find_boxes
from tests.ocr.reading.detection.maps import draw_map
from tests.ocr.reading.stock_paddlex import stock_boxes

RULE = BoxRule(threshold=0.3, box_threshold=0.5, unclip_ratio=1.2, crop_unclip_ratio=1.7)
MAPS = [
    (320, 256, 500, 371),
    (256, 320, 97, 1201),  # squeezed and stretched
    (32, 32, 9, 20),  # a page smaller than the smallest map
    (32, 960, 31, 955),
    (960, 64, 4961, 300),
    (640, 480, 640, 480),
]


def stock(
    drawn: NDArray[np.float32], unclip_ratio: float, *, width_px: int, height_px: int
) -> tuple[NDArray[np.int16], list[float]]:
    return stock_boxes(
        drawn,
        threshold=RULE.threshold,
        box_threshold=RULE.box_threshold,
        unclip_ratio=unclip_ratio,
        width_px=width_px,
        height_px=height_px,
    )


def find(drawn: NDArray[np.float32], rule: BoxRule = RULE) -> Detections:
    return find_boxes(drawn, rule, width_px=drawn.shape[1], height_px=drawn.shape[0])


@pytest.mark.parametrize(("map_height", "map_width", "height_px", "width_px"), MAPS)
def test_crop_boxes_and_scores_equal_stock_paddleocr(
    map_height: int, map_width: int, height_px: int, width_px: int
) -> None:
    for seed in range(5):
        drawn = draw_map(width_px=map_width, height_px=map_height, kernels=30, seed=seed)

        found = find_boxes(drawn, RULE, width_px=width_px, height_px=height_px)

        boxes, scores = stock(drawn, RULE.crop_unclip_ratio, width_px=width_px, height_px=height_px)
        np.testing.assert_array_equal(found.crop_boxes, boxes.reshape(-1, 4, 2))
        np.testing.assert_allclose(found.scores, scores, rtol=1e-6)


def test_both_boxes_of_a_kernel_come_from_one_pass() -> None:
    drawn = draw_map(width_px=480, height_px=640, kernels=40, seed=7)

    found = find_boxes(drawn, RULE, width_px=800, height_px=1000)

    boxes, _ = stock(drawn, RULE.unclip_ratio, width_px=800, height_px=1000)
    assert len(found.boxes) > 10
    assert {box.tobytes() for box in boxes.astype(np.float32)} <= {
        box.tobytes() for box in found.boxes
    }
    areas = [
        (cv2.contourArea(a), cv2.contourArea(b))
        for a, b in zip(found.boxes, found.crop_boxes, strict=True)
    ]
    assert all(area < crop_area for area, crop_area in areas)


def test_kernels_that_are_faint_or_thin_are_dropped() -> None:
    drawn = np.zeros((96, 96), dtype=np.float32)
    drawn[10:20, 10:80] = 0.9
    drawn[40:50, 10:80] = 0.45  # over the threshold, under the box threshold
    drawn[70:72, 10:80] = 0.9  # two pixels high

    found = find(drawn)

    assert len(found.boxes) == 1
    assert found.boxes[0].mean(axis=0).tolist() == pytest.approx([44.5, 14.5], abs=1)
    assert found.scores.tolist() == pytest.approx([0.9])


def test_corners_go_clockwise_from_the_top_left() -> None:
    drawn = np.zeros((96, 96), dtype=np.float32)
    drawn[40:50, 20:70] = 1

    box = find(drawn, BoxRule(0.3, 0.5, 0.0, 1.0)).boxes[0]

    assert box.tolist() == [[20, 40], [69, 40], [69, 49], [20, 49]]


def test_a_blank_map_gives_no_boxes() -> None:
    found = find(np.zeros((64, 64), dtype=np.float32))

    assert found.boxes.shape == found.crop_boxes.shape == (0, 4, 2)
    assert found.scores.shape == (0,)


def test_a_noisy_map_stops_at_a_thousand_contours() -> None:
    drawn = np.zeros((640, 640), dtype=np.float32)
    for y in range(0, 640, 16):
        for x in range(0, 640, 16):
            drawn[y + 2 : y + 12, x + 2 : x + 12] = 0.9

    assert len(find(drawn).boxes) == 1000
