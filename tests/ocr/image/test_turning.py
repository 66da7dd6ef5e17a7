"""Images turned by quarters, and where points of them come to lie."""

import numpy as np
import pytest

from ocr.image.turning import BACK, ROTATIONS, Rotation, turn_image, turn_points


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_points_stay_where_they_are_on_the_image(rotation: Rotation) -> None:
    image = np.zeros((40, 60, 3), np.uint8)
    image[5:9, 12:20] = 255
    corners = np.array([(12, 5), (20, 5), (20, 9), (12, 9)], np.float32)

    turned = turn_image(image, rotation)
    points = turn_points(corners, rotation, width_px=60, height_px=40)

    (left, top), (right, bottom) = points.min(axis=0).astype(int), points.max(axis=0).astype(int)
    assert turned[top:bottom, left:right].min() == 255
    assert turned.sum() == image.sum()
    height_px, width_px = turned.shape[:2]
    back = turn_points(points, BACK[rotation], width_px=width_px, height_px=height_px)
    np.testing.assert_array_equal(back, corners)
