"""Below which confidence lines of pages are rather no text, and what setting them aside changes."""

from dataclasses import dataclass, replace

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.pages.choice import MOST_LINES, Gain, choose_way
from ocr.evaluation.pages.counts import PageCounts
from ocr.evaluation.pages.metrics import count_reading, sum_pages
from ocr.reading.page_reader import PageReading, ReadsPages

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
        reading = reader.read(snapshot.image(page))
        ways = (_lines_above(least, reading) for least in (0.0, *CONFIDENCES))
        groups.append(page.group)
        counts.append([count_reading(way, page.regions) for way in ways])
        seen += len(reading.lines)
        if seen >= MOST_LINES:
            break
    if not counts:
        return None
    before, *after = (sum_pages(way)["hmean"].value for way in zip(*counts, strict=True))
    harmless = [at for at, hmean in enumerate(after) if hmean >= before]
    if not harmless:
        return None
    kept = [[page[0], *(page[1 + at] for at in harmless)] for page in counts]
    best, gain = choose_way(kept, groups)
    return SetAsideGain(CONFIDENCES[harmless[best]], gain)


def _lines_above(least: float, reading: PageReading) -> PageReading:
    lines = (line for line in reading.lines if line.confidence >= least)
    return replace(reading, lines=tuple(lines))
