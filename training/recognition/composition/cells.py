"""Where the characters of a fixed layout stand in the common frame, or why it is not fixed."""

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from training.recognition.composition.alignment import Alignment, Centres

Floats = NDArray[np.float64]

MAX_SPREAD = 0.3
"""Most that positions may scatter in a fixed layout, in character pitches (standard deviation).

Even spacing plus or minus one CTC frame reads about 0.15, free text of one length 0.4 and more.
"""
MIN_CORRELATION = 0.35
"""Least median correlation of aligned crops with their mean; free text reads 0.2 and less."""
GOOD_SHARE = 0.7
"""Crops that correlate less than this share of the median are left out."""
MAX_DEVIATION = 0.4
"""Most that a crop's centres may lie off, in pitches: half a pitch is a match one gap too far."""


@dataclass(frozen=True)
class Cells:
    """The boxes of P characters in the common frame, all of one height.

    Attributes:
        centres_px: (P,), the middles along x.
        widths_px: (P,), even numbers of whole pixels.
        rows_px: (2,), the first row of every cell and the one under it.
    """

    centres_px: Floats
    widths_px: NDArray[np.int64]
    rows_px: NDArray[np.int64]

    @property
    def lefts_px(self) -> NDArray[np.int64]:
        """First column of each cell."""
        return np.rint(self.centres_px).astype(np.int64) - self.widths_px // 2

    def columns(self, position: int) -> slice:
        """Columns of one cell."""
        left = int(self.lefts_px[position])
        return slice(left, left + int(self.widths_px[position]))


def find_cells(centres_px: Centres, alignment: Alignment) -> tuple[Cells, NDArray[np.int64]]:
    """Find the cells that crops share, and which crops have their characters there.

    Args:
        centres_px: (N, P), rough x of the characters in the crops.
        alignment: The crops' common frame.

    Raises:
        BadData: The crops do not look alike or their characters stand elsewhere in each.
    """
    median = float(np.median(alignment.correlations))
    if median < MIN_CORRELATION:
        raise BadData(
            f"the crops do not look alike (median correlation with their mean {median:.2f},"
            f" at least {MIN_CORRELATION} is needed)"
        )
    are_alike = alignment.correlations >= GOOD_SHARE * median
    mapped = _to_frame(centres_px, alignment)
    rough = np.maximum.accumulate(np.median(mapped[are_alike], axis=0))
    pitch = max(float(np.median(np.diff(rough))), 1.0)
    errors = np.abs(mapped - rough)
    spread = float(np.median(1.4826 * np.median(errors[are_alike], axis=0)) / pitch)
    if spread > MAX_SPREAD:
        raise BadData(
            f"characters stand elsewhere in each crop (positions scatter by {spread:.2f} of"
            f" a character's pitch, at most {MAX_SPREAD} is a fixed layout)"
        )
    rows = np.flatnonzero(are_alike & (np.median(errors, axis=1) < MAX_DEVIATION * pitch))
    energy = np.mean(alignment.rectified[rows] ** 2, axis=0)
    return _measure_cells(energy, rough, pitch), rows


def _to_frame(centres_px: Centres, alignment: Alignment) -> Floats:
    """Where the frame's middle row crosses the crops' columns (N, P)."""
    height, width = alignment.rectified.shape[1:]
    columns = np.arange(-width // 4, width * 5 // 4, dtype=np.float64)
    row = np.stack([columns, np.full_like(columns, (height - 1) / 2), np.ones_like(columns)])
    lines = alignment.warps.astype(np.float64) @ row
    pairs = zip(centres_px, lines[:, 0] / lines[:, 2], strict=True)
    return np.stack([np.interp(centres, line, columns) for centres, line in pairs])


def _measure_cells(energy: Floats, rough: Floats, pitch: float) -> Cells:
    height = len(energy)
    left, right = int(max(0, rough[0] - pitch / 2)), int(rough[-1] + pitch / 2) + 1
    rows = energy[:, left:right].mean(axis=1)
    top, bottom = _extent(rows, rows[height // 4 : height - height // 4].argmax() + height // 4)
    columns = cv2.GaussianBlur(energy[top:bottom].mean(axis=0)[None], (0, 0), 0.5)[0]
    centres = np.array([_centre_on_ink(columns, centre, pitch) for centre in rough])
    pad = max(1, height // 10)
    return Cells(
        centres_px=centres,
        widths_px=_cell_widths(columns, centres),
        rows_px=np.array([max(0, top - pad), min(height, bottom + pad)]),
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
    halves = np.minimum(np.minimum(halves, 1.2 * middle), room)
    return np.asarray(2 * np.maximum(2, np.rint(halves)), np.int64)


def _gap(columns: Floats, left: float, right: float) -> float:
    """Middle of the emptiest columns between two centres."""
    first = int(left + 0.25 * (right - left))
    between = columns[first : int(right - 0.25 * (right - left)) + 1]
    if not len(between):
        return (left + right) / 2
    empty = np.flatnonzero(between <= between.min() + 0.1 * np.ptp(between))
    return first + float(empty[0] + empty[-1]) / 2
