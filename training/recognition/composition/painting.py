"""Paint a character's matte into a crop, in the crop's own pose and colours."""

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.composition.cells import Cells
from training.recognition.composition.matte import LEVELS, Matte, whole_basis

Bytes = NDArray[np.uint8]


def paint_character(
    image: Image,
    matte: Matte,
    warp: NDArray[np.float32],
    cells: Cells,
    position: int,
    alpha: Bytes,
) -> None:
    """Paint over one cell of a crop, in place.

    Args:
        image: The crop.
        matte: The crop, taken apart: its colours.
        warp: (3, 3), pixels of the frame to pixels of the crop.
        cells: The boxes of the characters in the frame.
        position: Which cell.
        alpha: The new character's matte, bytes of LEVELS, the size of the cell.
    """
    height, width = alpha.shape
    to_crop = warp @ _shift(int(cells.lefts_px[position]), cells.top_px)
    x0, y0, x1, y1 = _bounds(to_crop, alpha.shape, image.shape)
    if x0 >= x1 or y0 >= y1:
        return
    layers = np.dstack([LEVELS[alpha], _feather(height, width)])
    to_cell = _shift(-x0, -y0) @ to_crop
    ink, cover = cv2.split(cv2.warpPerspective(layers, to_cell, (x1 - x0, y1 - y0)))
    basis = whole_basis(image.shape[0], image.shape[1])[y0:y1, x0:x1]
    new = basis @ matte.background + matte.background_offsets[position]
    new += ink[..., None] * (basis @ matte.ink + matte.ink_offsets[position])
    patch = image[y0:y1, x0:x1]
    new -= patch
    new *= cover[..., None]
    cv2.add(patch, new, dst=patch, dtype=cv2.CV_8U)


def vary_shape(alpha: Bytes, rng: np.random.Generator) -> Bytes:
    """Shift, stretch, shear, thicken or thin a matte a little."""
    height, width = alpha.shape
    u = rng.uniform(-1, 1, 7)
    linear = np.array([[1 + 0.08 * u[0], 0.10 * u[1]], [0.06 * u[2], 1 + 0.06 * u[3]]])
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    shift = middle * (1 + np.array([0.1, 0.08]) * u[4:6]) - linear @ middle
    matrix = np.hstack([linear, shift[:, None]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpAffine(
        alpha, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    if u[6] > 0.4:
        return np.asarray(cv2.dilate(warped, np.ones((2, 2), np.uint8)))
    return np.asarray(cv2.erode(warped, np.ones((2, 2), np.uint8))) if u[6] < -0.4 else warped


@lru_cache(maxsize=64)
def _feather(height: int, width: int) -> NDArray[np.float32]:
    """1 within a cell, falling at its borders."""
    rows = np.minimum(1, np.minimum(np.arange(1, height + 1), np.arange(height, 0, -1)) / 4)
    columns = np.minimum(1, np.minimum(np.arange(1, width + 1), np.arange(width, 0, -1)) / 3)
    return np.outer(rows, columns).astype(np.float32)


def _bounds(
    to_crop: NDArray[np.float32], cell: tuple[int, ...], crop: tuple[int, ...]
) -> tuple[int, int, int, int]:
    """The pixels of the crop that a cell touches: x0, y0, x1, y1."""
    bottom, right = cell[0] - 1, cell[1] - 1
    corners = np.array([[0, right, 0, right], [0, 0, bottom, bottom], [1, 1, 1, 1]], np.float32)
    u, v, scale = (to_crop @ corners).tolist()
    x = [a / c for a, c in zip(u, scale, strict=True)]
    y = [b / c for b, c in zip(v, scale, strict=True)]
    return (
        max(0, math.floor(min(x))),
        max(0, math.floor(min(y))),
        min(crop[1], math.ceil(max(x)) + 1),
        min(crop[0], math.ceil(max(y)) + 1),
    )


def _shift(x: int, y: int) -> NDArray[np.float32]:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], np.float32)
