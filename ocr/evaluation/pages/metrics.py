"""The metrics of whole pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.errors import BadData
from ocr.evaluation.pages.counts import PageCounts, count_page
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.ratio import Ratio
from ocr.reading.page_reader import PageReading


@dataclass(frozen=True)
class PageMetrics:
    """The summary of one reader on a set of pages; every value but the counts is a share.

    A line is read end to end when its box is paired with a region and the texts are equal; case
    and spaces do not count, except in ``e2e_hmean_exact``.

    Attributes:
        pages: Pages read.
        precision: Share of the boxes that are a region; ``recall``: of the regions that are found.
        hmean: Their harmonic mean, PaddleOCR's score; ``hmean_optimal``: under the best matching.
        e2e_precision: Share of the boxes that are read right; ``e2e_recall``: of the regions.
        e2e_hmean: Their harmonic mean; ``e2e_hmean_exact``: of wholly equal texts.
        e2e_ned: Mean of 1 − edit distance / longer length over pairs, missed regions and invented
            boxes, the latter two with 0.
        skipped: Invalid polygons, labelled or found, which count nowhere.
    """

    pages: int
    precision: float
    recall: float
    hmean: float
    hmean_optimal: float
    e2e_precision: float
    e2e_recall: float
    e2e_hmean: float
    e2e_hmean_exact: float
    e2e_ned: float
    skipped: int


def measure_pages(
    readings: Sequence[PageReading], truths: Sequence[Sequence[Region]]
) -> PageMetrics:
    """Return the metrics of the readings of pages with these labelled regions.

    Raises:
        BadData: There is nothing to measure, or the two lengths differ.
    """
    if len(readings) != len(truths):
        raise BadData(f"{len(readings)} readings of {len(truths)} pages")
    pages = zip(readings, truths, strict=True)
    return summarise_pages([count_reading(reading, regions) for reading, regions in pages])


def count_reading(reading: PageReading, regions: Sequence[Region]) -> PageCounts:
    """Count what is right and wrong in the reading of a page with these labelled regions."""
    match = match_page(regions, [line.polygon for line in reading.lines])
    return count_page(regions, reading.lines, match)


def summarise_pages(counts: Sequence[PageCounts]) -> PageMetrics:
    """Sum the counts of pages up.

    Raises:
        BadData: There are no pages.
    """
    if not counts:
        raise BadData("No pages to measure: the test split is empty")
    values = {name: ratio.value for name, ratio in sum_pages(counts).items()}
    return PageMetrics(pages=len(counts), skipped=sum(page.skipped for page in counts), **values)


def sum_pages(counts: Sequence[PageCounts]) -> dict[str, Ratio]:
    """Return every share of :class:`PageMetrics` as sums page by page."""
    return {
        name: Ratio(
            numerator=np.array([part(page) for page in counts], dtype=np.float64),
            denominator=np.array([whole(page) for page in counts], dtype=np.float64),
        )
        for name, (part, whole) in _SHARES.items()
    }


_Sum = Callable[[PageCounts], float]

# The harmonic mean of part / a and part / b is 2 part / (a + b).
_SHARES: dict[str, tuple[_Sum, _Sum]] = {
    "precision": (lambda page: page.pairs, lambda page: page.boxes),
    "recall": (lambda page: page.pairs, lambda page: page.truths),
    "hmean": (lambda page: 2 * page.pairs, lambda page: page.boxes + page.truths),
    "hmean_optimal": (lambda page: 2 * page.pairs_optimal, lambda page: page.boxes + page.truths),
    "e2e_precision": (lambda page: page.read, lambda page: page.readings),
    "e2e_recall": (lambda page: page.read, lambda page: page.texts),
    "e2e_hmean": (lambda page: 2 * page.read, lambda page: page.readings + page.texts),
    "e2e_hmean_exact": (
        lambda page: 2 * page.read_exactly,
        lambda page: page.readings + page.texts,
    ),
    "e2e_ned": (
        lambda page: page.similarity,
        lambda page: page.readings + page.texts - page.compared,
    ),
}
