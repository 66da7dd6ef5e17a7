"""Paint other characters into a crop, in its own pose and colours."""

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.composition.cells import Cells
from training.recognition.composition.matte import plane_basis

Floats = NDArray[np.float32]


def paint_characters(
    image: Image,
    *,
    paper: Floats,
    ink: Floats,
    warp: Floats,
    cells: Cells,
    alphas: dict[int, Floats],
) -> Image:
    """Return a crop with some of its cells painted over.

    Args:
        image: The crop.
        paper: (3, 3), the plane of its paper's colour.
        ink: (3, 3), the plane of its ink's, minus the paper's.
        warp: (3, 3), pixels of the frame to pixels of the crop.
        cells: The boxes of the characters in the frame.
        alphas: By position, how much ink covers each pixel; resized to the cell.
    """
    height, width = image.shape[:2]
    layers = np.zeros((height, width, 2), np.float32)
    for position, alpha in alphas.items():
        box = layers[slice(*cells.rows_px), cells.columns(position)]
        box[..., 0] = cv2.resize(alpha, box.shape[1::-1])
        box[..., 1] = _feather(*box.shape[:2])
    alpha, cover = cv2.split(cv2.warpPerspective(layers, warp, (width, height)))
    basis = plane_basis(height, width)
    painted = basis @ paper + alpha[..., None] * (basis @ ink)
    mixed = image + cover[..., None] * (painted - image)
    return np.asarray(np.clip(mixed, 0, 255), np.uint8)


def vary_shape(alpha: Floats, rng: np.random.Generator) -> Floats:
    """Shift, stretch, shear, thicken or thin a character a little."""
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


def _feather(height: int, width: int) -> Floats:
    """1 within a cell, falling at its borders."""
    rows = np.minimum(1, np.minimum(np.arange(1, height + 1), np.arange(height, 0, -1)) / 3)
    columns = np.minimum(1, np.minimum(np.arange(1, width + 1), np.arange(width, 0, -1)) / 2)
    return np.outer(rows, columns).astype(np.float32)
