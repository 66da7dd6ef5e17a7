"""Gaps of labelled pages as a detector may leave them within one line, and whether lines end there.

A labelled line and its neighbour to the right are cut out as one and read: at the gap between them
a line ends, at all others of the two none does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.pages.region import Region
from ocr.image.cropping import CROP_MARGIN, crop_corners, crop_line, grow_boxes
from ocr.image.pixels import Image
from ocr.image.rectangle import Corners, smallest_rectangle
from ocr.models.gap_model import Gap
from ocr.reading.gaps import FoundGap, find_gaps
from ocr.reading.recognition.recogniser import Recogniser
from ocr.reading.words import PlacedLine

FURTHEST_HEIGHTS = 6.0
"""No detector takes lines for one that are further apart."""

ROW_OVERLAP = 0.5
"""Neighbours share this much of the lower one's height."""

HEIGHT_RATIO = 1.8
"""No neighbour is this many times higher than the other."""

OFF_HEIGHTS = 0.6
"""The gap between two lines is read this near to where it is labelled, or not looked at."""


@dataclass(frozen=True)
class GapExample:
    """A gap, and whether a line ends there."""

    gap: Gap
    ends: bool


@dataclass(frozen=True)
class _Joined:
    """One or two labelled lines as one.

    Attributes:
        box: (4, 2) the smallest rectangle round them.
        middle: (2,) the middle between the two; None: it is one line.
        apart_px: How far they are apart.
    """

    box: Corners
    middle: NDArray[np.float32] | None = None
    apart_px: float = 0.0


def find_examples(
    page: Image, regions: Sequence[Region], recogniser: Recogniser
) -> list[GapExample]:
    """Read the labelled lines of a page, each with its right neighbour as one line.

    Args:
        page: (H, W, 3) BGR.
        regions: What is labelled on it.
        recogniser: Tells where characters stand, and reads them as it will when it serves.
    """
    lines = list(_join([one for one in regions if one.text and not one.ignored]))
    if not lines:
        return []
    grown = grow_boxes(np.stack([line.box for line in lines]), CROP_MARGIN)
    texts = recogniser.recognise([crop_line(page, box) for box in grown])
    return [
        example
        for line, text, box in zip(lines, texts, grown, strict=True)
        for example in _judge(line, PlacedLine(text, line.box, crop_corners(box)))
    ]


def _join(regions: Sequence[Region]) -> Iterator[_Joined]:
    if not regions:
        return
    corners = [np.array(region.polygon, dtype=np.float32) for region in regions]
    neighbours = dict(_neighbours(corners))
    in_pairs = {*neighbours, *neighbours.values()}
    for at, own in enumerate(corners):
        if at in neighbours:
            other = corners[neighbours[at]]
            right, left = own[:, 0].max(), other[:, 0].min()
            middle = np.array([(right + left) / 2, (own[:, 1].mean() + other[:, 1].mean()) / 2])
            box, _ = smallest_rectangle(np.concatenate([own, other]))
            yield _Joined(box, middle.astype(np.float32), max(0.0, float(left - right)))
        elif at not in in_pairs:
            yield _Joined(smallest_rectangle(own)[0])


def _neighbours(corners: Sequence[NDArray[np.float32]]) -> Iterator[tuple[int, int]]:
    """Yield the positions of lines and of the nearest one to the right in their row."""
    lefts, tops = np.array([one.min(axis=0) for one in corners]).T
    rights, bottoms = np.array([one.max(axis=0) for one in corners]).T
    heights = np.maximum(bottoms - tops, 1.0)
    for at, height in enumerate(heights):
        lower = np.minimum(heights, height)
        shared = np.minimum(bottoms, bottoms[at]) - np.maximum(tops, tops[at])
        is_right = (
            (shared > ROW_OVERLAP * lower)
            & (np.maximum(heights, height) < HEIGHT_RATIO * lower)
            & (lefts > (lefts[at] + rights[at]) / 2)
            & (lefts - rights[at] < FURTHEST_HEIGHTS * lower)
        )
        is_right[at] = False
        if is_right.any():
            yield at, int(np.where(is_right, lefts, np.inf).argmin())


def _judge(line: _Joined, read: PlacedLine) -> Iterator[GapExample]:
    """Yield the gaps of a line; none where that between two lines was not read as one."""
    text = read.read.text
    gaps = list(find_gaps(read))
    end = _end(line, read, gaps)
    if line.middle is not None and end is None:
        return
    for at, found in enumerate(gaps):
        gap = Gap(
            found.heights,
            text[: found.before.characters.stop],
            text[found.behind.characters.start :],
        )
        yield GapExample(gap, ends=at == end)


def _end(line: _Joined, read: PlacedLine, gaps: Sequence[FoundGap]) -> int | None:
    """Return which of the gaps is the one between the two lines."""
    if line.middle is None or not gaps:
        return None
    first, second, _, fourth = read.corners
    along = second - first
    length_px = max(float(np.linalg.norm(along)), 1.0)
    height_px = float(np.linalg.norm(fourth - first))
    place = float((line.middle - first) @ along) / length_px**2
    off = [abs((gap.before.end + gap.behind.begin) / 2 - place) * length_px for gap in gaps]
    nearest = int(np.argmin(off))
    return nearest if off[nearest] <= OFF_HEIGHTS * height_px + line.apart_px / 2 else None
