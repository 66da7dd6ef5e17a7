"""Below which confidence lines of pages are rather no text, and what setting them aside changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.pages.choice import MOST_LINES, Gain, choose_way
from ocr.evaluation.pages.counts import PageCounts, count_page
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.pages.metrics import sum_pages
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import ReadsPages

CONFIDENCES = (0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3)


@dataclass(frozen=True)
class SetAsideGain:
    """Which lines are set aside, and what that changes on validation pages.

    Attributes:
        min_confidence: Lines of less; the one that reads the pages best, of equals the lowest.
        gain: What it changes.
    """

    min_confidence: float
    gain: Gain


def choose_min_confidence(reader: ReadsPages, snapshot: PageSnapshot) -> SetAsideGain | None:
    """Choose on validation pages below which confidence a line is set aside.

    Noise costs precision and gains nothing. So does a line that is read wrongly, but it is text: a
    confidence at which the detection is worse is not chosen, however well the rest reads.

    Args:
        reader: Reads pages, and sets nothing aside.
        snapshot: The pages.

    Returns:
        None without validation pages, or where the detection is worse at any confidence.
    """
    groups: list[str] = []
    counts: list[list[PageCounts]] = []
    seen = 0
    for page in snapshot.samples("val"):
        lines = reader.read(snapshot.image(page)).lines
        groups.append(page.group)
        counts.append([_count_above(least, lines, page.regions) for least in (0.0, *CONFIDENCES)])
        seen += len(lines)
        if seen >= MOST_LINES:
            break
    if not counts:
        return None
    before, *after = (sum_pages(way)["hmean"].value for way in zip(*counts, strict=True))
    harmless = [at for at, hmean in enumerate(after) if hmean >= before]
    if not harmless:
        return None
    ways = [[page[0], *(page[1 + at] for at in harmless)] for page in counts]
    best, gain = choose_way(ways, groups)
    return SetAsideGain(CONFIDENCES[harmless[best]], gain)


def _count_above(least: float, lines: Sequence[PageLine], regions: Sequence[Region]) -> PageCounts:
    kept = [line for line in lines if line.confidence >= least]
    return count_page(regions, kept, match_page(regions, [line.polygon for line in kept]))
