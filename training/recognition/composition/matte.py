"""A crop taken apart: planes of paper and ink colour, and how much ink covers each pixel."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.composition.cells import Cells

Floats = NDArray[np.float32]

ALPHA_LOW, ALPHA_HIGH = -0.4, 1.5
"""A little under 0 and over 1 keeps the crop's texture."""


def cut_matte(
    image: Image, warp: Floats, polarity: float, cells: Cells
) -> tuple[Floats, Floats, NDArray[np.float16]]:
    """Take a crop apart.

    Args:
        image: The crop.
        warp: (3, 3), pixels of the frame to pixels of the crop.
        polarity: 1 where the ink is brighter than the paper, -1 where it is darker.
        cells: The cells of the layout in the frame, which is of the crop's size.

    Returns:
        paper: (3, 3), plane through the paper's BGR, what `plane_basis` is multiplied with.
        ink: (3, 3), plane through ink minus paper.
        alpha: (height of the cells, width of the frame), how much ink covers each pixel.
    """
    height, width = image.shape[:2]
    top, bottom = cells.rows_px.tolist()
    to_band = warp @ np.array([[1, 0, 0], [0, 1, top], [0, 0, 1]], np.float32)
    layers = np.dstack([image.astype(np.float32), plane_basis(height, width)[..., 1:]])
    band = cv2.warpPerspective(
        layers,
        to_band,
        (width, bottom - top),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    colors = band[..., :3]
    basis = np.dstack([np.ones_like(band[..., 0]), band[..., 3:]])
    papers, inks = _split(colors, cells, polarity)
    paper = _fit_plane(basis[papers], colors[papers], ridge=0.0)
    over = colors - basis @ paper
    ink = _fit_plane(basis[inks], over[inks], ridge=8.0)
    color = basis @ ink
    alpha = (over * color).sum(-1) / ((color * color).sum(-1) + 25)
    return paper, ink, np.clip(alpha, ALPHA_LOW, ALPHA_HIGH).astype(np.float16)


@lru_cache(maxsize=4)
def plane_basis(height: int, width: int) -> Floats:
    """What a plane is multiplied with at every pixel (height, width, 3) of a crop."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.stack([np.ones_like(x), x / width - 0.5, y / height - 0.5], axis=-1)


def _split(
    band: Floats, cells: Cells, polarity: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Pixels that are surely paper and pixels that are surely ink, within the cells."""
    gray = band @ np.array([0.114, 0.587, 0.299], np.float32) * np.float32(polarity)
    flat = gray - cv2.GaussianBlur(gray, (0, 0), len(gray) / 2)
    is_inside = np.zeros(gray.shape, bool)
    is_inside[1:-1, max(0, cells.columns(0).start) : cells.columns(-1).stop] = True
    inside = flat[is_inside]
    low, high = float(inside.min()), float(inside.max())
    bytes_ = ((inside - low) * (255 / max(high - low, 1e-3))).astype(np.uint8)
    threshold, _ = cv2.threshold(bytes_, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    share = float(np.clip((bytes_ > threshold).mean(), 0.08, 0.5))
    papers = is_inside & (flat <= np.quantile(inside, 0.65 * (1 - share)))
    inks = is_inside & (flat >= np.quantile(inside, 1 - 0.6 * share))
    return papers, inks


def _fit_plane(basis: Floats, colors: Floats, *, ridge: float) -> Floats:
    """Least squares (3, 3); the ridge, per 64 pixels, holds the slopes down."""
    slopes = ridge * ridge * len(basis) / 64 + 1e-3
    normal = basis.T @ basis + np.diag([1e-3, slopes, slopes])
    return np.linalg.solve(normal, basis.T @ colors).astype(np.float32)
