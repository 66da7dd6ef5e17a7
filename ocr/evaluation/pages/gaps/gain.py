"""What a gap model changes in the reading of pages, and above which probability it cuts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample, PageSnapshot, of_people
from ocr.evaluation.pages.choice import MOST_LINES, Gain, choose_way
from ocr.evaluation.pages.counts import PageCounts
from ocr.evaluation.pages.gaps.examples import GapExample, join_lines, read_examples
from ocr.evaluation.pages.gaps.fit import fit_weights
from ocr.evaluation.pages.metrics import count_reading
from ocr.models.gap_model import GapModel
from ocr.reading.gaps import cut_line, score_gaps
from ocr.reading.page_reader import PageReader, PlacedPage
from ocr.reading.recognition.recogniser import Recogniser

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
TRAIN_LINES = 5000
"""Lines that are learnt from at most: half a minute of receipts with the compact recogniser."""


@dataclass(frozen=True)
class GapGain:
    """A gap model, and what it changes on validation pages.

    Attributes:
        model: Cuts above the probability that reads them best.
        examples: Gaps that it was learnt from.
        gain: What it changes.
    """

    model: GapModel
    examples: int
    gain: Gain


def fit_gap_model(
    reader: PageReader, recogniser: Recogniser, snapshot: PageSnapshot
) -> GapGain | None:
    """Learn on train pages where lines end, and measure on validation pages what that changes.

    Args:
        reader: Finds the lines of pages and reads them, parting none.
        recogniser: Reads what is labelled.
        snapshot: The pages.

    Returns:
        None where no two labelled lines are read beside each other, or there are no validation
        pages.
    """
    examples: list[GapExample] = []
    lines = 0
    for page in of_people(snapshot.samples("train")):
        joined = join_lines(page.regions)
        if joined:
            examples += read_examples(snapshot.image(page), joined, recogniser)
        lines += len(joined)
        if lines >= TRAIN_LINES:
            break
    if not any(example.ends for example in examples):
        return None
    return weigh_gap_model(examples, _place(reader, snapshot))


def _place(reader: PageReader, snapshot: PageSnapshot) -> Iterator[tuple[PageSample, PlacedPage]]:
    """Yield validation pages as they are read."""
    lines = 0
    for page in snapshot.samples("val"):
        placed = reader.place(snapshot.image(page))
        yield page, placed
        lines += len(placed.lines)
        if lines >= MOST_LINES:
            return


def weigh_gap_model(
    examples: Sequence[GapExample], pages: Iterable[tuple[PageSample, PlacedPage]]
) -> GapGain | None:
    """Say what a model of these gaps changes.

    Args:
        examples: To learn from.
        pages: Other pages with their lines; looked at one by one.

    Returns:
        None without pages.
    """
    weights = fit_weights(examples)
    eager = GapModel(weights, min(THRESHOLDS))
    groups: list[str] = []
    counts: list[list[PageCounts]] = []
    for page, placed in pages:
        groups.append(page.group)
        counts.append(_count_ways(page.regions, placed, eager))
    if not counts:
        return None
    best, gain = choose_way(counts, groups)
    return GapGain(replace(eager, cut_above=THRESHOLDS[best]), len(examples), gain)


def _count_ways(regions: Sequence[Region], page: PlacedPage, model: GapModel) -> list[PageCounts]:
    """Count a page as it was found, and parted above each of the thresholds.

    Args:
        regions: What is labelled.
        page: As it was found.
        model: Cuts above the least of the thresholds.
    """
    scored = [score_gaps(line, model, page.kernels) for line in page.lines]
    by_cuts: dict[int, PageCounts] = {}
    ways = []
    for cut_above in (1.0, *THRESHOLDS):
        chosen = [[gap for gap, p in gaps if p > cut_above] for gaps in scored]
        cuts = sum(map(len, chosen))  # the fewer are among the more
        if cuts not in by_cuts:
            parts = (
                part
                for line, gaps in zip(page.lines, chosen, strict=True)
                for part in cut_line(line, gaps)
            )
            by_cuts[cuts] = count_reading(replace(page, lines=tuple(parts)).to_reading(), regions)
        ways.append(by_cuts[cuts])
    return ways
