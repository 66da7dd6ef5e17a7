"""Labelled regions as shapes: their outlines, and the kernels that the net learns to find."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pyclipper
from numpy.typing import NDArray

from ocr.dataset.pages.region import Region

_CLIPPER_UNITS = 64
"""Clipper works on whole numbers; these are its units per pixel."""
_DRAWING_SHIFT = 4
"""cv2 draws at 2^-4 pixels."""

Points = NDArray[np.float32]
"""(n, 2), x and y."""
Matrix = NDArray[np.float64]
"""(2, 3): x and y to x and y."""


@dataclass(frozen=True)
class MapTarget:
    """How regions become the map that a net learns to draw.

    Attributes:
        map_px: Pixels of the input per pixel of the map, along each side.
        shrink_ratio: A kernel is its outline moved inwards by A (1 - r^2) / L (DB, equation 10).
    """

    map_px: int
    shrink_ratio: float


@dataclass(frozen=True)
class Shapes:
    """The regions of one page, in pixels of its image; all of equal index.

    Attributes:
        outlines: Polygons.
        kernels: What is left of each when it is shrunk: no, one or several polygons.
        bounds: (R, 4) least x and y, largest x and y.
        ignored: (R,) whether the loss looks away.
    """

    outlines: tuple[Points, ...]
    kernels: tuple[tuple[Points, ...], ...]
    bounds: NDArray[np.float32]
    ignored: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.outlines)


def collect_shapes(regions: Sequence[Region], *, scale: float, shrink_ratio: float) -> Shapes:
    """Return the shapes of the regions of a page whose image was scaled."""
    outlines = tuple(np.array(region.polygon, np.float32) * np.float32(scale) for region in regions)
    bounds = [[*outline.min(axis=0), *outline.max(axis=0)] for outline in outlines]
    kernels = tuple(shrink(outline, shrink_ratio) for outline in outlines)
    return Shapes(
        outlines=outlines,
        kernels=kernels,
        bounds=np.array(bounds, dtype=np.float32).reshape(-1, 4),
        ignored=np.array(
            [region.ignored or not kernel for region, kernel in zip(regions, kernels, strict=True)],
            dtype=np.bool_,
        ),
    )


def shrink(outline: Points, ratio: float) -> tuple[Points, ...]:
    """Return the kernel of an outline."""
    area = abs(cv2.contourArea(outline))
    length = cv2.arcLength(outline, closed=True)
    if not area or not length:
        return ()
    distance = area * (1 - ratio**2) / length
    offset = pyclipper.PyclipperOffset()
    path = np.rint(outline * _CLIPPER_UNITS).astype(np.int64).tolist()
    offset.AddPath(path, pyclipper.JT_MITER, pyclipper.ET_CLOSEDPOLYGON)
    pieces = offset.Execute(-distance * _CLIPPER_UNITS)
    return tuple(np.array(piece, np.float32) / np.float32(_CLIPPER_UNITS) for piece in pieces)


def draw_targets(
    shapes: Shapes, matrix: Matrix, *, width_px: int, height_px: int, map_px: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Draw what the net should find in a view of a page.

    Args:
        shapes: The regions, in pixels of the page.
        matrix: From pixels of the page to pixels of the view.
        width_px: Width of the view.
        height_px: Height of the view.
        map_px: Pixels of the view per pixel of the map, along each side.

    Returns:
        The kernels, and where the loss looks: both (height_px / map_px, width_px / map_px), 0 or 1.
    """
    size = (height_px // map_px, width_px // map_px)
    to_map = _to_map(matrix, map_px)
    kernels, mask = np.zeros(size, np.uint8), np.ones(size, np.uint8)
    visible = _find_visible(shapes.bounds, matrix, width_px=width_px, height_px=height_px)
    for index in visible[shapes.ignored[visible]].tolist():
        _fill(mask, shapes.outlines[index], to_map, value=0)
    for index in visible[~shapes.ignored[visible]].tolist():
        for piece in shapes.kernels[index]:
            _fill(kernels, piece, to_map, value=1)
    mask |= kernels
    return kernels.astype(np.float32), mask.astype(np.float32)


def _find_visible(
    bounds: NDArray[np.float32], matrix: Matrix, *, width_px: int, height_px: int
) -> NDArray[np.int64]:
    """Return the indexes of the bounds that may touch the view."""
    turn_back = np.linalg.inv(matrix[:, :2])
    corners = np.array([(0, 0), (width_px, 0), (width_px, height_px), (0, height_px)])
    seen = (corners - matrix[:, 2]) @ turn_back.T
    (left, top), (right, bottom) = seen.min(axis=0), seen.max(axis=0)
    beside = (bounds[:, 2] < left) | (bounds[:, 0] > right)
    above = (bounds[:, 3] < top) | (bounds[:, 1] > bottom)
    return np.flatnonzero(~(beside | above))


def _to_map(matrix: Matrix, map_px: int) -> Matrix:
    """Let a map into pixels of a view lead to those of its map; their centres are whole numbers."""
    scaled = matrix / map_px
    scaled[:, 2] += 0.5 / map_px - 0.5
    return scaled


def _fill(canvas: NDArray[np.uint8], points: Points, matrix: Matrix, *, value: int) -> None:
    on_map = points @ matrix[:, :2].T + matrix[:, 2]
    fixed = np.rint(on_map * 2**_DRAWING_SHIFT).astype(np.int32)
    cv2.fillPoly(canvas, [fixed], value, shift=_DRAWING_SHIFT)
