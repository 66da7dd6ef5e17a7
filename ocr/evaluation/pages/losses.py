"""Why labelled lines of pages are not read: other ends, another text, or nothing there."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import Levenshtein
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.counts import fold, is_read
from ocr.evaluation.pages.detection import share
from ocr.evaluation.pages.matching import intersect
from ocr.evaluation.pages.report import EvaluatedPage, PageOutcome
from ocr.models.page_line import PageLine
from ocr.reading.reading_order import reading_order

Cause = Literal["ends", "ends and text", "one character", "text", "missed", "invented"]
"""Why texts are lost, by what stands in the same place of the page.

- ``ends``: read as labelled, but lines begin or end elsewhere: joined, parted, too long or short.
- ``ends and text``: neither.
- ``one character``: a line of its own that is misread by one character, case and spaces aside;
  ``text``: by more.
- ``missed``: labelled and not found; ``invented``: found and not labelled.
"""

CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)

_SHARED: Final = 0.5
"""Of the smaller of a region and a line: so much, and both may be about the same ink…"""

_SHARED_HEIGHT: Final = 0.3
"""… if the smaller one is so high beside the larger: no speck in a line, no line in a stamp."""


Polygons = NDArray[np.object_]


@dataclass(frozen=True)
class Loss:
    """Labelled texts that are not read, and what was found in their place; positions of a page."""

    cause: Cause
    regions: tuple[int, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class LossCount:
    """What one cause costs.

    Attributes:
        cause: Which.
        regions: Labelled texts that are not read for it.
        lines: What was found in their place, or where nothing is labelled.
        hmean_without: The end-to-end Hmean if just these were read as they are labelled.
    """

    cause: Cause
    regions: int
    lines: int
    hmean_without: float


def count_losses(pages: Iterable[tuple[EvaluatedPage, PageOutcome]]) -> list[LossCount]:
    """Count what is not read on pages, each with what one reader made of it, by every cause."""
    texts = readings = read = 0
    lost = dict.fromkeys(CAUSES, (0, 0))
    for page, outcome in pages:
        texts += outcome.counts.texts
        readings += outcome.counts.readings
        read += outcome.counts.read
        for loss in find_losses(page, outcome):
            regions, lines = lost[loss.cause]
            lost[loss.cause] = regions + len(loss.regions), lines + len(loss.lines)
    return [
        LossCount(
            cause,
            regions,
            lines,
            share(2 * (read + regions), texts + readings - lines + regions),
        )
        for cause, (regions, lines) in lost.items()
    ]


def find_losses(page: EvaluatedPage, outcome: PageOutcome) -> Iterator[Loss]:
    """Yield what is not read on a page; every such region and line stands in one loss.

    Regions that nobody transcribed are none, nor is what was found there.
    """
    wrong = [
        (truth, line)
        for truth, line in outcome.pairs
        if page.regions[truth].text
        and not is_read(page.regions[truth].text, outcome.lines[line].text)
    ]
    missed = [truth for truth in outcome.missed if page.regions[truth].text]
    truths = [truth for truth, _ in wrong] + missed
    found = [line for _, line in wrong] + outcome.invented
    pairs = set(wrong)
    for ours, theirs in _group(
        [page.regions[truth].polygon for truth in truths],
        [outcome.lines[line].polygon for line in found],
        paired=len(wrong),
    ):
        regions = tuple(sorted(truths[at] for at in ours))
        lines = tuple(sorted(found[at] for at in theirs))
        is_pair = len(regions) == len(lines) == 1 and (regions[0], lines[0]) in pairs
        cause = _find_cause(
            [page.regions[truth] for truth in regions],
            [outcome.lines[line] for line in lines],
            is_pair=is_pair,
        )
        yield Loss(cause, regions, lines)


def _find_cause(regions: Sequence[Region], lines: Sequence[PageLine], *, is_pair: bool) -> Cause:
    if not lines:
        return "missed"
    if not regions:
        return "invented"
    text, reading = _join(regions), _join(lines)
    if is_pair:
        return "one character" if Levenshtein.distance(text, reading) == 1 else "text"
    return "ends" if text == reading else "ends and text"


def _join(parts: Sequence[Region] | Sequence[PageLine]) -> str:
    """Return the texts of one place of a page as they are read, without case and spaces."""
    order = reading_order(np.array([_corners(part.polygon) for part in parts], dtype=np.float32))
    return "".join(fold(parts[at].text) for at in order)


def _corners(polygon: Sequence[tuple[float, float]]) -> ArrayLike:
    if len(polygon) == 4:
        return polygon
    (left, top), (right, bottom) = np.min(polygon, axis=0), np.max(polygon, axis=0)
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _group(
    ours: Sequence[ArrayLike], theirs: Sequence[ArrayLike], *, paired: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the positions of polygons that hang together; the first ``paired`` of both do."""
    total = len(ours) + len(theirs)
    if not total:
        return
    first, second = ([shapely.Polygon(polygon) for polygon in side] for side in (ours, theirs))
    rows, columns, shared = intersect(first, second)
    close = _are_of_one_line(
        np.asarray(first, dtype=object)[rows], np.asarray(second, dtype=object)[columns], shared
    )
    links = np.concatenate([rows[close], np.arange(paired)])
    others = np.concatenate([columns[close], np.arange(paired)]) + len(ours)
    graph = coo_array((np.ones(len(links)), (links, others)), shape=(total, total))
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        yield (
            [at for at in members.tolist() if at < len(ours)],
            [at - len(ours) for at in members.tolist() if at >= len(ours)],
        )


def _are_of_one_line(
    ours: Polygons, theirs: Polygons, shared: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Say of each pair of polygons, which share so much area, whether they are about one line."""
    is_ours = shapely.area(ours) < shapely.area(theirs)
    smaller, larger = np.where(is_ours, ours, theirs), np.where(is_ours, theirs, ours)
    corners = _rectangles(larger)
    sides = corners[:, 1:3] - corners[:, 0:2]
    lengths = np.linalg.norm(sides, axis=2)
    shorter = np.arange(len(sides)), lengths.argmin(axis=1)
    height = lengths[shorter]
    across = sides[shorter] / np.maximum(height, 1e-9)[:, None]
    extent = np.ptp(np.einsum("nck,nk->nc", _rectangles(smaller), across), axis=1)
    is_within = shared > _SHARED * shapely.area(smaller)
    close: NDArray[np.bool_] = is_within & (extent >= _SHARED_HEIGHT * height)
    return close


def _rectangles(polygons: Polygons) -> NDArray[np.float64]:
    """Return the corners (N, 4, 2) of the smallest rectangles around polygons."""
    corners = [shapely.get_coordinates(each)[:4] for each in shapely.oriented_envelope(polygons)]
    return np.array(corners).reshape(-1, 4, 2)
