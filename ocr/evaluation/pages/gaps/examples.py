"""Gaps of labelled pages as a detector may leave them in one line, and whether lines end there.

A labelled line and its neighbour to the right are cut out as one and read: at the gap between them
a line ends, at all others of the two none does.
"""

import cmath
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.pages.region import Region
from ocr.image.cropping import CROP_MARGIN, crop_line, grow_boxes
from ocr.image.pixels import Image
from ocr.image.rectangle import Corners, smallest_rectangle
from ocr.models.gap_model import Gap
from ocr.reading.gaps import FoundGap, describe_gaps, find_gaps
from ocr.reading.recognition.recogniser import Recogniser
from ocr.reading.words import PlacedLine

STEEPEST = math.radians(30)
"""Of pages whose lines run more steeply nothing is learnt: they are read when they are turned."""

FURTHEST_HEIGHTS = 6.0
"""No detector takes lines for one that are further apart."""

ROW_OVERLAP = 0.5
"""Neighbours share this much of the lower one's height."""

HEIGHT_RATIO = 1.8
"""No neighbour is this many times higher than the other."""

OFF_HEIGHTS = 0.6
"""The gap between two lines is read this near to where it is labelled, or not looked at."""

CROP_BYTES = 1 << 24
"""Crops are read when they are so many bytes, or when there are `BATCH` of them."""
BATCH = 64


@dataclass(frozen=True)
class GapExample:
    """A gap, and whether a line ends there."""

    gap: Gap
    ends: bool


@dataclass(frozen=True)
class JoinedLines:
    """A labelled line, with its right neighbour where it has one.

    Attributes:
        box: (4, 2) the smallest rectangle round them.
        middle: Place x + yj halfway between the two; None: it is one line.
        apart_px: How far they are apart.
    """

    box: Corners
    middle: complex | None = None
    apart_px: float = 0.0

    @cached_property
    def crop_box(self) -> Corners:
        """(4, 2) what is cut out of the page."""
        return np.asarray(grow_boxes(self.box[None], CROP_MARGIN)[0])


def read_examples(
    page: Image, lines: Sequence[JoinedLines], recogniser: Recogniser
) -> Iterator[GapExample]:
    """Read labelled lines, and yield their gaps.

    Args:
        page: (H, W, 3) BGR.
        lines: As `join_lines` returns them.
        recogniser: Tells where characters stand, and reads them as it will when it serves.
    """
    waiting: list[JoinedLines] = []
    crops: list[Image] = []
    for line in lines:
        waiting.append(line)
        crops.append(crop_line(page, line.crop_box))
        if len(crops) == BATCH or sum(crop.nbytes for crop in crops) >= CROP_BYTES:
            yield from _read(waiting, crops, recogniser)
            waiting, crops = [], []
    yield from _read(waiting, crops, recogniser)


def join_lines(regions: Sequence[Region]) -> list[JoinedLines]:
    """Join every labelled line of a page with its right neighbour.

    A line beside something that nobody transcribed, or that is much higher, tells nothing.
    """
    corners = [np.array(region.polygon, dtype=np.float64) for region in regions]
    is_read = [bool(region.text) and not region.ignored for region in regions]
    directions = [_direction(each) for each in corners]
    together = sum((way for way, read in zip(directions, is_read, strict=True) if read), 0j)
    slope = cmath.phase(together)
    is_level = [abs(cmath.phase(way * together.conjugate())) < STEEPEST for way in directions]
    is_read = [read and level for read, level in zip(is_read, is_level, strict=True)]
    if abs(slope) > STEEPEST or not any(is_read):
        return []
    along = np.array((math.cos(slope), math.sin(slope)))
    turn = np.stack([along, (-along[1], along[0])], axis=1)
    level = [each @ turn for each in corners]
    beside = _find_beside(level)
    is_beside = {*beside, *beside.values()}
    lines = []
    for at, other in beside.items():
        if is_read[at] and is_read[other] and _are_neighbours(level[at], level[other]):
            right, left = float(level[at][:, 0].max()), float(level[other][:, 0].min())
            height = (level[at][:, 1].mean() + level[other][:, 1].mean()) / 2
            middle = complex(*(turn @ np.array(((right + left) / 2, height))))
            box = _box(np.concatenate([corners[at], corners[other]]))
            lines.append(JoinedLines(box, middle, max(0.0, left - right)))
    alone = (at for at, read in enumerate(is_read) if read and at not in is_beside)
    return lines + [JoinedLines(_box(corners[at])) for at in alone]


def _direction(corners: NDArray[np.float64]) -> complex:
    """Return the unit vector from where a region's outline begins to where its top ends; or 0."""
    x, y = corners[len(corners) // 2 - 1] - corners[0]
    length = math.hypot(x, y)
    return complex(x, y) / length if length else 0j


def _find_beside(level: Sequence[NDArray[np.float64]]) -> dict[int, int]:
    """Return, of level regions (K, 2), which is the nearest to the right in the same row."""
    lefts, tops = np.array([each.min(axis=0) for each in level]).T
    rights, bottoms = np.array([each.max(axis=0) for each in level]).T
    heights = np.maximum(bottoms - tops, 1.0)
    beside: dict[int, int] = {}
    for at, height in enumerate(heights):
        shared = np.minimum(bottoms, bottoms[at]) - np.maximum(tops, tops[at])
        is_right = (shared > ROW_OVERLAP * np.minimum(heights, height)) & (
            lefts > (lefts[at] + rights[at]) / 2
        )
        is_right[at] = False
        if is_right.any():
            beside[at] = int(np.where(is_right, lefts, np.inf).argmin())
    return beside


def _are_neighbours(left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    lower, higher = sorted(max(1.0, float(np.ptp(each[:, 1]))) for each in (left, right))
    apart_px = float(right[:, 0].min() - left[:, 0].max())
    return higher < HEIGHT_RATIO * lower and apart_px < FURTHEST_HEIGHTS * lower


def _box(corners: NDArray[np.float64]) -> Corners:
    return smallest_rectangle(corners.astype(np.float32))[0]


def _read(
    lines: Sequence[JoinedLines], crops: Sequence[Image], recogniser: Recogniser
) -> Iterator[GapExample]:
    texts = recogniser.recognise(crops) if crops else []
    for line, text in zip(lines, texts, strict=True):
        yield from _judge(line, PlacedLine(text, line.box, line.crop_box))


def _judge(line: JoinedLines, read: PlacedLine) -> Iterator[GapExample]:
    """Yield the gaps of a line; none where that between two lines was not read as one."""
    gaps = find_gaps(read)
    end = _end(line, read, gaps)
    if line.middle is not None and end is None:
        return
    for at, gap in enumerate(describe_gaps(read.read.text, gaps)):
        yield GapExample(gap, ends=at == end)


def _end(line: JoinedLines, read: PlacedLine, gaps: Sequence[FoundGap]) -> int | None:
    """Return which of the gaps is the one between the two lines."""
    if line.middle is None or not gaps:
        return None
    first, second, _, fourth = read.corners
    along = second - first
    length_px = max(abs(along), 1.0)
    height_px = abs(fourth - first)
    place = ((line.middle - first) * along.conjugate()).real / length_px**2
    off = [abs((gap.before.end + gap.behind.begin) / 2 - place) * length_px for gap in gaps]
    nearest = off.index(min(off))
    return nearest if off[nearest] <= OFF_HEIGHTS * height_px + line.apart_px / 2 else None
