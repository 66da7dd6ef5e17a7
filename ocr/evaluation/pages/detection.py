"""The score of a detector, without any reading."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.matching import Boxes, PageMatch, match_page
from ocr.evaluation.ratio import Ratio


@dataclass(frozen=True)
class DetectionReport:
    """How well text is found on a set of pages, from counts summed over all of them.

    Attributes:
        precision: Share of the boxes that are a region; ``recall``: of the regions that are found.
        hmean: Their harmonic mean: PaddleOCR's score.
        hmean_optimal: The same under the matching with the most pairs.
        skipped: Invalid polygons, labelled or found, that PaddleOCR's score passes over silently.
    """

    precision: float
    recall: float
    hmean: float
    hmean_optimal: float
    skipped: int


def measure_detection(
    pages: Iterable[tuple[Sequence[Region], Sequence[ArrayLike] | Boxes]],
) -> DetectionReport:
    """Score (labelled regions, found polygons) page by page."""
    return summarise_matches([match_page(regions, boxes) for regions, boxes in pages])


def summarise_matches(matches: Sequence[PageMatch]) -> DetectionReport:
    """Sum the matches of pages up."""
    truths = sum(len(match.truths) for match in matches)
    boxes = sum(len(match.boxes) for match in matches)
    pairs = sum(len(match.pairs) for match in matches)
    return DetectionReport(
        precision=share(pairs, boxes),
        recall=share(pairs, truths),
        hmean=share(2 * pairs, boxes + truths),
        hmean_optimal=share(2 * sum(match.optimal for match in matches), boxes + truths),
        skipped=sum(match.skipped for match in matches),
    )


def sum_hmean(matches: Sequence[PageMatch]) -> Ratio:
    """Return the Hmean as sums page by page."""
    return Ratio(
        numerator=np.array([2.0 * len(match.pairs) for match in matches]),
        denominator=np.array([float(len(match.boxes) + len(match.truths)) for match in matches]),
    )


def share(part: float, whole: float) -> float:
    """Return part / whole; 0 of nothing."""
    return part / whole if whole else 0.0
