"""Lines cut out of pages, equal to stock PaddleOCR's crops to the last pixel."""

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from ocr.image.rectangle import Corners, smallest_rectangle

CROP_MARGIN = 0.08
"""Labelled boxes grow by this share of their shorter side before they are cut out."""

SURROUNDINGS = 0.35
"""Crops to learn from go on round line and margin by this share of their shorter side."""

SURROUNDINGS_SHARE = SURROUNDINGS / (1 + 2 * SURROUNDINGS)
"""The same as a share of the shorter side of what is cut out."""

UPRIGHT_ASPECT = 1.5
"""A crop at least this much higher than wide is a vertical line, and is laid on its side."""

ALIGNED_PX = 0.01
"""Corners this close to whole pixels need no interpolation, which works in steps of 1/32."""


def grow_boxes(boxes: NDArray[np.float32], margin: float) -> NDArray[np.float32]:
    """Grow boxes on every side, to whole pixels as a detector's boxes are.

    Args:
        boxes: (N, 4, 2) corners in order, in pixels.
        margin: Growth on every side as a share of the mean length of the shorter sides.

    Returns:
        (N, 4, 2) corners in the same order; they may lie outside of the page.
    """
    along = (boxes[:, 1] - boxes[:, 0] + boxes[:, 2] - boxes[:, 3]) / 2
    across = (boxes[:, 3] - boxes[:, 0] + boxes[:, 2] - boxes[:, 1]) / 2
    width_px = np.linalg.norm(along, axis=1, keepdims=True)
    height_px = np.linalg.norm(across, axis=1, keepdims=True)
    distance_px = margin * np.minimum(width_px, height_px)
    right = along / np.maximum(width_px, 1e-6) * distance_px
    down = across / np.maximum(height_px, 1e-6) * distance_px
    steps = np.stack([-right - down, right - down, right + down, down - right], axis=1)
    return np.asarray(np.rint(boxes + steps), dtype=np.float32)


def crop_line(page: Image, box: NDArray[np.float32]) -> Image:
    """Cut out the smallest rectangle round a box and turn it level.

    Equals paddlex's `CropByPolys` (quad), which rounds towards zero, orders the corners itself,
    interpolates by cubics and repeats the border; here a crop is never empty.

    Args:
        page: (H, W, 3) BGR.
        box: (N, 2) corners in page pixels, four or more.

    Returns:
        (H', W', 3) BGR, at least one pixel; of a vertical line its top is on the left. It may
        share memory with the page.
    """
    corners = _corners(box)
    return _lay(_cut(page, corners), corners)


def crop_corners(box: NDArray[np.float32]) -> Corners:
    """Return the corners (4, 2) of what `crop_line` cuts out, from where its upper left one was."""
    corners = _corners(box)
    return np.roll(corners, -1, axis=0) if _is_upright(corners) else corners


def crop_surroundings(page: Image, box: NDArray[np.float32]) -> Image:
    """Cut out what `crop_line` does and its `SURROUNDINGS`, turned alike.

    Args:
        page: (H, W, 3) BGR.
        box: (4, 2) corners in order, in page pixels.
    """
    wide = grow_boxes(box[None], SURROUNDINGS)[0]
    return _lay(_cut(page, _corners(wide)), _corners(box))


def trim(image: Image, around_px: int) -> Image:
    """Return an image (H, W, 3) without so many pixels on every side."""
    height_px, width_px = image.shape[:2]
    return image[around_px : height_px - around_px, around_px : width_px - around_px]


def _corners(box: NDArray[np.float32]) -> Corners:
    return smallest_rectangle(box.astype(np.int32))[0]


def _lay(crop: Image, line: Corners) -> Image:
    """Lay a crop on its side where its line is upright."""
    return np.rot90(crop) if _is_upright(line) else crop


def _is_upright(line: Corners) -> bool:
    width_px, height_px = _size_px(line)
    return height_px / width_px >= UPRIGHT_ASPECT


def _size_px(corners: Corners) -> tuple[int, int]:
    top, right, bottom, left = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return max(1, int(max(top, bottom))), max(1, int(max(right, left)))


def _cut(page: Image, corners: Corners) -> Image:
    width_px, height_px = _size_px(corners)
    target = np.array(
        [(0, 0), (width_px, 0), (width_px, height_px), (0, height_px)], dtype=np.float32
    )
    x, y = np.rint(corners[0]).astype(int).tolist()
    is_inside = min(x, y) >= 0 and x + width_px <= page.shape[1] and y + height_px <= page.shape[0]
    if is_inside and np.abs(corners - target - (x, y)).max() < ALIGNED_PX:
        return page[y : y + height_px, x : x + width_px]
    matrix = cv2.getPerspectiveTransform(corners, target)
    size_px = (width_px, height_px)
    crop = cv2.warpPerspective(
        page, matrix, size_px, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(crop, dtype=np.uint8)
