"""The smallest rectangle round points, its corners where stock PaddleOCR puts them."""

from operator import itemgetter

import cv2
import numpy as np
from numpy.typing import NDArray

Corners = NDArray[np.float32]
"""Corners (4, 2) in pixels: clockwise, from the upper of the two on the left."""


def smallest_rectangle(points: NDArray[np.float32] | NDArray[np.int32]) -> tuple[Corners, float]:
    """Return the corners of the smallest rectangle round points (N, 2), and its shorter side.

    Equals `get_mini_boxes` of paddlex's `DBPostProcess`.
    """
    rectangle = cv2.minAreaRect(points)
    first, second, third, fourth = sorted(cv2.boxPoints(rectangle).tolist(), key=itemgetter(0))
    left = (first, second) if second[1] > first[1] else (second, first)
    right = (third, fourth) if fourth[1] > third[1] else (fourth, third)
    corners = np.array((left[0], right[0], right[1], left[1]), dtype=np.float32)
    return corners, min(rectangle[1])
