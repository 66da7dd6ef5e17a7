"""Images turned by quarters, and where points of them come to lie."""

from typing import Final, Literal, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image

Rotation = Literal[0, 90, 180, 270]
"""Degrees by which a page is turned clockwise."""

ROTATIONS: Final[tuple[Rotation, ...]] = (0, 90, 180, 270)

BACK: Final[dict[Rotation, Rotation]] = {0: 0, 90: 270, 180: 180, 270: 90}
"""By how much a page is turned to undo a turn."""

Number = TypeVar("Number", np.float32, np.float64)

_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def turn_image(image: Image, rotation: Rotation) -> Image:
    """Return an image (H, W) or (H, W, 3) turned, or itself where nothing is to be turned."""
    return np.asarray(cv2.rotate(image, _TURNS[rotation])) if rotation else image


def turn_points(
    points: NDArray[Number], rotation: Rotation, *, width_px: int, height_px: int
) -> NDArray[Number]:
    """Return points (..., 2) of an image where they lie on the turned one.

    Args:
        points: x and y in pixels.
        rotation: How the image is turned.
        width_px: Of the image before it is turned.
        height_px: Of the image before it is turned.
    """
    x, y = points[..., 0], points[..., 1]
    if rotation == 90:
        x, y = height_px - y, x
    elif rotation == 180:
        x, y = width_px - x, height_px - y
    elif rotation == 270:
        x, y = y, width_px - x
    return np.stack([x, y], axis=-1)
