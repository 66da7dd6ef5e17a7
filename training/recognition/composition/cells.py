"""Where the characters of a fixed layout stand in the common frame, or why it is not fixed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from training.recognition.composition.alignment import Alignment

Floats = NDArray[np.float64]

MAX_SPREAD = 0.3
"""Most that positions may scatter in a fixed layout, in character pitches (standard deviation).

Even spacing plus or minus one CTC frame reads about 0.15, free text of one length 0.4 and more.
"""
MIN_CORRELATION = 0.35
"""Least median correlation of aligned crops with their mean; free text reads 0.2 and less."""
GOOD_SHARE = 0.6
"""Crops that correlate less than this share of the median are left out."""
MAX_DEVIATION = 0.4
"""Most that a crop's centres may lie off, in pitches: half a pitch is a match one gap too far."""


@dataclass(frozen=True)
class Cells:
    """The boxes of the characters in the common frame, all of one height.

    Attributes:
        centres_px: (P,), the middles along x, in pixels of the frame.
        widths_px: (P,), even numbers of whole pixels.
        top_px: First row of every cell.
        bottom_px: Row under every cell.
    """

    centres_px: Floats
    widths_px: NDArray[np.int64]
    top_px: int
    bottom_px: int

    @cached_property
    def lefts_px(self) -> NDArray[np.int64]:
        """First column of each cell."""
        return np.rint(self.centres_px).astype(np.int64) - self.widths_px // 2

    def box(self, position: int) -> tuple[slice, slice]:
        """Rows and columns of one cell."""
        left = int(self.lefts_px[position])
        return slice(self.top_px, self.bottom_px), slice(left, left + int(self.widths_px[position]))

    @property
    def height_px(self) -> int:
        """Rows of a cell."""
        return self.bottom_px - self.top_px

    @property
    def middle_px(self) -> float:
        """Row through the middle of the cells."""
        return (self.top_px + self.bottom_px - 1) / 2


def find_cells(
    images: Sequence[Image], centres_px: Sequence[NDArray[np.floating]], alignment: Alignment
) -> Cells:
    """Find the cells that all crops share.

    Args:
        images: Crops whose texts have the same length P.
        centres_px: (P,) of each crop: rough x of its characters in its pixels.
        alignment: Their common frame.

    Raises:
        BadData: The crops do not look alike or their characters stand elsewhere in each.
    """
    median = float(np.median(alignment.correlations))
    if median < MIN_CORRELATION:
        raise BadData(
            f"the crops do not look alike (median correlation with their mean {median:.2f},"
            f" at least {MIN_CORRELATION} is needed)"
        )
    mapped, rough, pitch = _map_centres(centres_px, alignment)
    spread = float(np.median(_deviation(mapped[_are_alike(alignment)] - rough)) / pitch)
    if spread > MAX_SPREAD:
        raise BadData(
            f"characters stand elsewhere in each crop (positions scatter by {spread:.2f} of"
            f" a character's pitch, at most {MAX_SPREAD} is a fixed layout)"
        )
    energy = _ink_energy(images, alignment, find_fitting(centres_px, alignment))
    return _measure_cells(energy, rough, pitch)


def find_fitting(
    centres_px: Sequence[NDArray[np.floating]], alignment: Alignment
) -> NDArray[np.bool_]:
    """Whether each crop (N,) looks like the others and has its characters where they have them."""
    mapped, rough, pitch = _map_centres(centres_px, alignment)
    errors = np.median(np.abs(mapped - rough), axis=1) / pitch
    return np.asarray(_are_alike(alignment) & (errors < MAX_DEVIATION))


def _are_alike(alignment: Alignment) -> NDArray[np.bool_]:
    least = GOOD_SHARE * float(np.median(alignment.correlations))
    return np.asarray(alignment.correlations >= least)


def _map_centres(
    centres_px: Sequence[NDArray[np.floating]], alignment: Alignment
) -> tuple[Floats, Floats, float]:
    """The centres in the frame (N, P), their medians (P,) and the median pitch."""
    mapped = np.stack(
        [
            _to_frame(centres, warp, alignment)
            for centres, warp in zip(centres_px, alignment.warps, strict=True)
        ]
    )
    rough = np.maximum.accumulate(np.median(mapped[_are_alike(alignment)], axis=0))
    return mapped, rough, max(float(np.median(np.diff(rough))), 1.0)


def _to_frame(
    centres: NDArray[np.floating], warp: NDArray[np.float32], alignment: Alignment
) -> Floats:
    """Where the frame's middle row crosses the crop's columns."""
    columns = np.arange(-alignment.width_px // 4, alignment.width_px * 5 // 4, dtype=np.float64)
    row = np.full_like(columns, (alignment.height_px - 1) / 2)
    x, _, scale = warp.astype(np.float64) @ np.stack([columns, row, np.ones_like(row)])
    return np.interp(np.asarray(centres, np.float64), x / scale, columns)


def _deviation(errors: Floats) -> Floats:
    """Robust standard deviation of each column (N, P)."""
    return np.asarray(1.4826 * np.median(np.abs(errors - np.median(errors, axis=0)), axis=0))


def _ink_energy(images: Sequence[Image], alignment: Alignment, fits: NDArray[np.bool_]) -> Floats:
    """Mean square (height_px, width_px) of the rectified crops, slow changes of light removed."""
    total = np.zeros((alignment.height_px, alignment.width_px))
    for index in np.flatnonzero(fits):
        total += alignment.rectify(images[index], index) ** 2
    return total / max(int(fits.sum()), 1)


def _measure_cells(energy: Floats, rough: Floats, pitch: float) -> Cells:
    height = len(energy)
    left, right = int(max(0, rough[0] - pitch / 2)), int(rough[-1] + pitch / 2) + 1
    rows = energy[:, left:right].mean(axis=1)
    top, bottom = _extent(rows, rows[height // 4 : height - height // 4].argmax() + height // 4)
    columns = cv2.GaussianBlur(energy[top:bottom].mean(axis=0)[None], (0, 0), 0.7)[0]
    centres = np.array([_centre_on_ink(columns, centre, pitch) for centre in rough])
    pad = max(2, height // 12)
    return Cells(
        centres_px=centres,
        widths_px=_cell_widths(columns, centres),
        top_px=max(0, top - pad),
        bottom_px=min(height, bottom + pad),
    )


def _extent(profile: Floats, peak: int) -> tuple[int, int]:
    """The run around the peak in which the profile stays over a quarter of its height."""
    over = profile > profile.min() + 0.25 * (profile[peak] - profile.min())
    below = np.flatnonzero(~over)
    first = int(below[below < peak].max(initial=-1)) + 1
    last = int(below[below > peak].min(initial=len(profile)))
    return first, last


def _centre_on_ink(columns: Floats, rough: float, pitch: float) -> float:
    """Middle of the ink nearest to a rough centre; the rough centre where there is none."""
    candidates = rough + np.arange(-0.45 * pitch, 0.45 * pitch, 0.5)
    scores = np.array([_stands_alone(columns, centre, pitch) for centre in candidates])
    scores -= 0.5 * np.ptp(columns) * ((candidates - rough) / pitch) ** 2
    centre = float(candidates[np.argmax(scores)])
    first = max(0, round(centre - 0.5 * pitch))
    window = columns[first : max(first + 3, round(centre + 0.5 * pitch) + 1)]
    inked = np.flatnonzero(window > window.min() + 0.25 * np.ptp(window))
    return first + (inked[0] + inked[-1]) / 2 if len(inked) else rough


def _stands_alone(columns: Floats, centre: float, pitch: float) -> float:
    """Ink under a character at this centre, less that in the gaps beside it."""
    away = np.abs(np.arange(len(columns)) - centre) / pitch
    inside, beside = away < 0.38, (away > 0.42) & (away < 0.58)
    if not inside.any() or not beside.any():
        return -np.inf
    return float(columns[inside].mean() - columns[beside].mean())


def _cell_widths(columns: Floats, centres: Floats) -> NDArray[np.int64]:
    """Twice the way to the nearer gap, alike for cells that hardly differ."""
    gaps = [_gap(columns, a, b) for a, b in pairwise(centres)]
    lefts = centres - np.array([2 * centres[0] - gaps[0], *gaps])
    rights = np.array([*gaps, 2 * centres[-1] - gaps[-1]]) - centres
    halves = np.minimum(lefts, rights)
    middle = float(np.median(halves))
    halves = np.where(np.abs(halves - middle) < 0.2 * middle, middle, halves)
    room = np.minimum(np.floor(centres), len(columns) - 1 - np.ceil(centres))
    halves = np.minimum(np.minimum(halves, 1.2 * middle) + 0.5, room)
    return np.asarray(2 * np.maximum(2, np.floor(halves)), np.int64)


def _gap(columns: Floats, left: float, right: float) -> float:
    """Middle of the emptiest columns between two centres."""
    first = int(left + 0.25 * (right - left))
    between = columns[first : int(right - 0.25 * (right - left)) + 1]
    if not len(between):
        return (left + right) / 2
    empty = np.flatnonzero(between <= between.min() + 0.1 * np.ptp(between))
    return first + float(empty[0] + empty[-1]) / 2
