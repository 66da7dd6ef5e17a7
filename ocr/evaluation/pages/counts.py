"""What is right and wrong on one page: the sums that every metric of pages is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.matching import PageMatch
from ocr.models.page_line import PageLine


@dataclass(frozen=True)
class PageCounts:
    """Counts of one page.

    Regions that nobody transcribed count where text is found, not where it is read.

    Attributes:
        truths: Regions; ``boxes``: boxes found; ``pairs``: of both.
        pairs_optimal: Pairs of the matching with the most.
        skipped: Invalid polygons, labelled or found.
        texts: Transcribed regions; ``readings``: boxes that are not a region without transcription.
        compared: Pairs with a transcription.
        read: Pairs whose texts are equal but for case and spaces; ``read_exactly``: wholly equal.
        similarity: Sum over the compared pairs of 1 − edit distance / longer length.
    """

    truths: int
    boxes: int
    pairs: int
    pairs_optimal: int
    skipped: int
    texts: int
    readings: int
    compared: int
    read: int
    read_exactly: int
    similarity: float


def count_page(
    regions: Sequence[Region], lines: Sequence[PageLine], match: PageMatch
) -> PageCounts:
    """Count what is right and wrong where regions and lines are paired already."""
    silent = sum(not regions[truth].text for truth in match.truths)
    compared = [(regions[i].text, lines[j].text) for i, j in match.pairs if regions[i].text]
    return PageCounts(
        truths=len(match.truths),
        boxes=len(match.boxes),
        pairs=len(match.pairs),
        pairs_optimal=match.optimal,
        skipped=match.skipped,
        texts=len(match.truths) - silent,
        readings=len(match.boxes) - (len(match.pairs) - len(compared)),
        compared=len(compared),
        read=sum(is_read(text, reading) for text, reading in compared),
        read_exactly=sum(text == reading for text, reading in compared),
        similarity=sum(
            Levenshtein.normalized_similarity(fold(text), fold(reading))
            for text, reading in compared
        ),
    )


def is_read(text: str, reading: str) -> bool:
    """Say whether a line reads as labelled, but for case and spaces."""
    return fold(text) == fold(reading)


def fold(text: str) -> str:
    """Take case and white space away."""
    return "".join(text.split()).casefold()


def without_case(text: str) -> str:
    """Take case away character by character: the length stays."""
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)
