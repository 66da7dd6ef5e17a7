"""Probability maps to boxes (Liao et al., DB, AAAI 2020), equal to stock PaddleOCR's."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pyclipper
from numpy.typing import NDArray

from ocr.image.rectangle import Corners, smallest_rectangle
from ocr.models.detector_spec import BoxRule
from ocr.reading.detection.kernel_map import KernelMap

CONTOUR_LIMIT = 1000
"""Stock PaddleOCR looks at no more contours."""

KERNEL_SIDE_PX = 3
"""Least shorter side of a kernel, in pixels of the map."""

BOX_SIDE_PX = 5
"""Least shorter side of a box, in pixels of the map."""


@dataclass(frozen=True)
class Detections:
    """The boxes of a page, in the order of the map's contours.

    Attributes:
        boxes: (N, 4, 2) corners in page pixels, clockwise from the top left of reading direction;
            around the text.
        crop_boxes: (N, 4, 2) the same with a margin, to be cut out and read.
        scores: (N,) mean probability of each kernel.
        kernels: The map that they were found in, where it is known.
    """

    boxes: NDArray[np.float32]
    crop_boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    kernels: KernelMap | None = None


def find_boxes(
    probabilities: NDArray[np.float32], rule: BoxRule, *, width_px: int, height_px: int
) -> Detections:
    """Find the boxes of a page in its map, as paddlex's `DBPostProcess` does (quad, fast).

    Stock runs once per unclip ratio; here one pass gives both boxes. `crop_boxes` are exactly
    those of a stock run with `crop_unclip_ratio`; what such a run drops is dropped.

    Args:
        probabilities: (H, W), each pixel's probability to lie in a kernel.
        rule: Thresholds and unclip ratios.
        width_px: Of the page, not of the map.
        height_px: Of the page, not of the map.
    """
    found = list(_unclipped_kernels(probabilities, rule))
    map_height, map_width = probabilities.shape
    page_px = np.array([width_px, height_px], dtype=np.float64)
    scale = page_px / (map_width, map_height)

    def to_page(corners: list[Corners]) -> NDArray[np.float32]:
        on_map = np.array(corners, dtype=np.float64).reshape(-1, 4, 2)
        return np.clip(np.rint(on_map * scale), 0, page_px).astype(np.float32)

    return Detections(
        boxes=to_page([box for box, _, _ in found]),
        crop_boxes=to_page([crop_box for _, crop_box, _ in found]),
        scores=np.array([score for _, _, score in found], dtype=np.float32),
        kernels=KernelMap(probabilities, (map_width / width_px, map_height / height_px)),
    )


def _unclipped_kernels(
    probabilities: NDArray[np.float32], rule: BoxRule
) -> Iterator[tuple[Corners, Corners, float]]:
    """Yield box, crop box and score per kernel, in pixels of the map."""
    bitmap = (probabilities > rule.threshold).view(np.uint8)
    contours, _ = cv2.findContours(bitmap, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for contour in contours[:CONTOUR_LIMIT]:
        kernel, side_px = smallest_rectangle(contour)
        if side_px < KERNEL_SIDE_PX:
            continue
        score = mean_probability(probabilities, kernel)
        if score < rule.box_threshold:
            continue
        growth_px = cv2.contourArea(kernel) / cv2.arcLength(kernel, closed=True)
        outline = pyclipper.PyclipperOffset()
        outline.AddPath(kernel.tolist(), pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
        crop_box, crop_side_px = _grow(outline, growth_px * rule.crop_unclip_ratio)
        if crop_side_px >= BOX_SIDE_PX:
            box, _ = _grow(outline, growth_px * rule.unclip_ratio)
            yield box, crop_box, score


def mean_probability(probabilities: NDArray[np.float32], kernel: Corners) -> float:
    """Return the mean of a map over a quadrangle (4, 2), as `box_score_fast` does."""
    height_px, width_px = probabilities.shape
    (left, top), (right, bottom) = kernel.min(axis=0).tolist(), kernel.max(axis=0).tolist()
    x_from, x_to = (max(0, min(x, width_px - 1)) for x in (math.floor(left), math.ceil(right)))
    y_from, y_to = (max(0, min(y, height_px - 1)) for y in (math.floor(top), math.ceil(bottom)))
    mask = np.zeros((y_to - y_from + 1, x_to - x_from + 1), dtype=np.uint8)
    corners = (kernel - np.array((x_from, y_from), dtype=np.float32)).astype(np.int32)
    cv2.fillPoly(mask, [corners], 1)
    return float(cv2.mean(probabilities[y_from : y_to + 1, x_from : x_to + 1], mask)[0])


def _grow(outline: Any, distance_px: float) -> tuple[Corners, float]:
    """Return the rectangle round a rounded outline grown by a distance, and its shorter side."""
    path = outline.Execute(distance_px)[0]
    return smallest_rectangle(np.array(path, dtype=np.int32))
