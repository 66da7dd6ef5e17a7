"""A crop taken apart: planes of background and ink colour, and how much ink covers each pixel."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from training.recognition.composition.cells import Cells

Floats = NDArray[np.float32]

ALPHA_LOW, ALPHA_HIGH = -0.4, 1.5
STEPS = 255 / (ALPHA_HIGH - ALPHA_LOW)
LEVELS = (np.arange(256) / STEPS + ALPHA_LOW).astype(np.float32)
"""Alpha of each stored byte; a little under 0 and over 1 keeps the crop's texture."""


@dataclass(frozen=True)
class Matte:
    """One crop, taken apart.

    Attributes:
        background: (3, 3), plane through the paper's BGR: offset, slope along x, slope along y,
            the coordinates running from -0.5 to 0.5 over the crop.
        ink: (3, 3), plane through ink minus paper, in the same coordinates.
        background_offsets: (P, 3), what to add to the background in each cell.
        ink_offsets: (P, 3), what to add to the ink in each cell.
        alpha: (height of the cells, width of the frame), bytes of LEVELS.
        contrast: Mean distance of ink from paper, 0 to 441.
    """

    background: Floats
    ink: Floats
    background_offsets: Floats
    ink_offsets: Floats
    alpha: NDArray[np.uint8]
    contrast: float


def cut_matte(image: Image, warp: Floats, polarity: float, cells: Cells, width_px: int) -> Matte:
    """Take a crop apart.

    Args:
        image: The crop.
        warp: (3, 3), pixels of the frame to pixels of the crop.
        polarity: 1 where the ink is brighter than the paper, -1 where it is darker.
        cells: The cells of the layout in the frame.
        width_px: Width of the frame.
    """
    band = _rectify_band(image, warp, cells, width_px)
    basis = _basis_of_frame(warp, image.shape, cells, width_px)
    papers, inks = _split(band, cells, polarity)
    background = _fit_plane(basis[papers], band[papers], ridge=0.0)
    over = band - basis @ background
    ink = _fit_plane(basis[inks], over[inks], ridge=8.0)
    color = basis @ ink
    paper_offsets, ink_offsets = _cell_offsets(over, color, papers, inks, cells)
    for left, width, paper_offset, ink_offset in zip(
        cells.lefts_px, cells.widths_px, paper_offsets, ink_offsets, strict=True
    ):
        over[:, left : left + width] -= paper_offset
        color[:, left : left + width] += ink_offset - paper_offset
    power = (color * color).sum(-1)
    alpha = (over * color).sum(-1) / (power + 25)
    return Matte(
        background=background,
        ink=ink,
        background_offsets=paper_offsets,
        ink_offsets=ink_offsets - paper_offsets,
        alpha=np.clip(np.rint((alpha - ALPHA_LOW) * STEPS), 0, 255).astype(np.uint8),
        contrast=float(np.sqrt(power).mean()),
    )


@lru_cache(maxsize=64)
def whole_basis(height: int, width: int) -> Floats:
    """What a plane is multiplied with at every pixel (height, width, 3) of a crop."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return _basis((height, width), x, y)


def _basis(shape: tuple[int, ...], x: Floats, y: Floats) -> Floats:
    u, v = x / shape[1] - np.float32(0.5), y / shape[0] - np.float32(0.5)
    return np.stack([np.ones_like(u), u, v], axis=-1)


def _rectify_band(image: Image, warp: Floats, cells: Cells, width_px: int) -> Floats:
    size = (width_px, cells.height_px)
    lower = np.array([[1, 0, 0], [0, 1, cells.top_px], [0, 0, 1]], np.float32)
    shrink = min(1.0, 1 / _magnification(warp))
    if shrink < 1:
        image = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        warp = np.diag([shrink, shrink, 1.0]).astype(np.float32) @ warp
    band = cv2.warpPerspective(
        image,
        warp @ lower,
        size,
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(band, np.float32)


def _magnification(warp: Floats) -> float:
    """Pixels of the crop to a pixel of the frame, the lesser direction."""
    return float(min(np.hypot(warp[0, 0], warp[1, 0]), np.hypot(warp[0, 1], warp[1, 1])))


def _basis_of_frame(warp: Floats, shape: tuple[int, ...], cells: Cells, width_px: int) -> Floats:
    y, x = np.mgrid[cells.top_px : cells.bottom_px, 0:width_px].astype(np.float32)
    u, v, scale = np.tensordot(warp, np.stack([x, y, np.ones_like(x)]), axes=1)
    return _basis(shape, u / scale, v / scale)


def _split(
    band: Floats, cells: Cells, polarity: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Pixels that are surely paper and pixels that are surely ink, within the cells."""
    gray = band @ np.array([0.114, 0.587, 0.299], np.float32) * np.float32(polarity)
    flat = gray - cv2.GaussianBlur(gray, (0, 0), len(gray) / 2)
    first, last = max(0, int(cells.lefts_px[0])), int(cells.lefts_px[-1] + cells.widths_px[-1])
    inside = flat[2:-2, first:last]
    low, high = float(inside.min()), float(inside.max())
    bytes_ = ((inside - low) * (255 / max(high - low, 1e-3))).astype(np.uint8)
    threshold, _ = cv2.threshold(bytes_, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    share = float(np.clip((bytes_ > threshold).mean(), 0.08, 0.5))
    is_inside = np.zeros(gray.shape, bool)
    is_inside[2:-2, first:last] = True
    papers = is_inside & (flat <= np.quantile(inside, 0.65 * (1 - share)))
    inks = is_inside & (flat >= np.quantile(inside, 1 - 0.6 * share))
    return papers, inks


def _fit_plane(basis: Floats, colors: Floats, *, ridge: float) -> Floats:
    """Least squares (3, 3); the ridge, per 64 pixels, holds the slopes down."""
    slopes = ridge * ridge * len(basis) / 64 + 1e-3
    normal = basis.T @ basis + np.diag([1e-3, slopes, slopes])
    return np.linalg.solve(normal, basis.T @ colors).astype(np.float32)


def _cell_offsets(
    over: Floats, color: Floats, papers: NDArray[np.bool_], inks: NDArray[np.bool_], cells: Cells
) -> tuple[Floats, Floats]:
    """How paper and ink of each cell (P, 3) differ from the planes, shrunk where pixels are few."""
    offsets = []
    for left, width in zip(cells.lefts_px, cells.widths_px, strict=True):
        cell = np.s_[:, left : left + width]
        pair = []
        for errors, chosen in ((over[cell], papers[cell]), (over[cell] - color[cell], inks[cell])):
            pair.append(errors[chosen].sum(0) / (chosen.sum() + 32))
        offsets.append(pair)
    papers_inks = np.array(offsets, np.float32)
    return papers_inks[:, 0], papers_inks[:, 1]
