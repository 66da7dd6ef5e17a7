"""Which found box is which labelled region of a page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from ocr.dataset.pages.region import Region

_LEAST_IOU = 0.5
_IGNORED_SHARE = 0.5
_FEWEST_CORNERS = 3

Indices = NDArray[np.intp]
Boxes = NDArray[np.float32]


@dataclass(frozen=True)
class PageMatch:
    """Regions and boxes of one page, paired by PaddleOCR's rule; all numbers are positions.

    Attributes:
        pairs: (region, box) with an IoU above 0.5, each in one pair at most.
        truths: Regions that count: neither ignored nor invalid.
        boxes: Boxes that count: neither invalid nor mostly within an ignored region.
        optimal: How many pairs there could be at most.
        skipped: Regions and boxes that are no valid polygon and count nowhere.
    """

    pairs: tuple[tuple[int, int], ...]
    truths: tuple[int, ...]
    boxes: tuple[int, ...]
    optimal: int
    skipped: int

    @property
    def missed(self) -> tuple[int, ...]:
        """Regions that no box was paired with."""
        paired = {truth for truth, _ in self.pairs}
        return tuple(truth for truth in self.truths if truth not in paired)

    @property
    def invented(self) -> tuple[int, ...]:
        """Boxes that no region was paired with."""
        paired = {box for _, box in self.pairs}
        return tuple(box for box in self.boxes if box not in paired)


def match_page(regions: Sequence[Region], boxes: Sequence[ArrayLike] | Boxes) -> PageMatch:
    """Pair the boxes found on a page with its labelled regions.

    The rule is that of ICDAR 2015 as PaddleOCR scores it (ppocr/metrics/eval_det_iou.py): regions
    in their order take the first free box with an IoU above 0.5; a box with more than half of its
    area in one ignored region does not count; invalid polygons are left out.

    Args:
        regions: What is labelled.
        boxes: Polygons found, each (corners, 2) in pixels of the page.
    """
    labelled = _keep_valid(region.polygon for region in regions)
    ignored = [i for i in labelled if regions[i].ignored]
    truths = [i for i in labelled if not regions[i].ignored]
    found = _keep_valid(boxes)
    within = _find_within(list(found.values()), others=[labelled[i] for i in ignored])
    kept = [i for position, i in enumerate(found) if position not in within]
    ious = _measure_ious([labelled[i] for i in truths], [found[i] for i in kept])
    return PageMatch(
        pairs=tuple((truths[truth], kept[box]) for truth, box in _pair_in_order(ious)),
        truths=tuple(truths),
        boxes=tuple(kept),
        optimal=_count_optimal(ious),
        skipped=len(regions) - len(labelled) + len(boxes) - len(found),
    )


def _keep_valid(outlines: Iterable[ArrayLike]) -> dict[int, shapely.Polygon]:
    """Return the valid polygons by their position."""
    polygons = ((i, _to_polygon(corners)) for i, corners in enumerate(outlines))
    return {i: polygon for i, polygon in polygons if polygon is not None}


def _to_polygon(corners: ArrayLike) -> shapely.Polygon | None:
    points = np.asarray(corners, dtype=np.float64)
    if points.ndim != 2 or len(points) < _FEWEST_CORNERS or not np.isfinite(points).all():
        return None
    polygon = shapely.Polygon(points)
    return polygon if polygon.is_valid else None


def _find_within(
    boxes: Sequence[shapely.Polygon], *, others: Sequence[shapely.Polygon]
) -> set[int]:
    """Return the positions of boxes with most of their area within one of the others."""
    ours, _, shared = intersect(boxes, others)
    share = shared / shapely.area(np.asarray(boxes, dtype=object)[ours])
    return set(ours[share > _IGNORED_SHARE].tolist())


def _measure_ious(
    truths: Sequence[shapely.Polygon], boxes: Sequence[shapely.Polygon]
) -> NDArray[np.float64]:
    """Return the intersection over union of every pair, (truths, boxes)."""
    ious = np.zeros((len(truths), len(boxes)))
    rows, columns, shared = intersect(truths, boxes)
    union = (
        shapely.area(np.asarray(truths, dtype=object)[rows])
        + shapely.area(np.asarray(boxes, dtype=object)[columns])
        - shared
    )
    ious[rows, columns] = shared / union
    return ious


def intersect(
    ours: Sequence[shapely.Polygon], theirs: Sequence[shapely.Polygon]
) -> tuple[Indices, Indices, NDArray[np.float64]]:
    """Return the positions of the polygons that touch, and the areas (K,) that they share."""
    first, second = np.asarray(ours, dtype=object), np.asarray(theirs, dtype=object)
    rows, columns = shapely.STRtree(second).query(first, predicate="intersects")
    shared = shapely.area(shapely.intersection(first[rows], second[columns]))
    return rows, columns, shared


def _pair_in_order(ious: NDArray[np.float64]) -> list[tuple[int, int]]:
    taken_truths: set[int] = set()
    taken_boxes: set[int] = set()
    pairs = []
    for truth, box in np.argwhere(ious > _LEAST_IOU).tolist():
        if truth not in taken_truths and box not in taken_boxes:
            taken_truths.add(truth)
            taken_boxes.add(box)
            pairs.append((truth, box))
    return pairs


def _count_optimal(ious: NDArray[np.float64]) -> int:
    allowed = ious > _LEAST_IOU
    rows, columns = linear_sum_assignment(allowed, maximize=True)
    return int(allowed[rows, columns].sum())
