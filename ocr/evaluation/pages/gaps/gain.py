"""What a gap model changes in the reading of pages, and above which probability it cuts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample, PageSnapshot
from ocr.evaluation.bootstrap import Interval, Resampling, group_codes
from ocr.evaluation.pages.comparison import estimate_change
from ocr.evaluation.pages.counts import PageCounts, count_page
from ocr.evaluation.pages.gaps.examples import GapExample, find_examples
from ocr.evaluation.pages.gaps.fit import fit_weights
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.pages.metrics import sum_pages
from ocr.evaluation.ratio import Ratio
from ocr.models.gap_model import GapModel
from ocr.models.page_line import PageLine
from ocr.models.pipeline import GAP_GAIN
from ocr.reading.page_reader import PageReader, cut_lines, to_polygon
from ocr.reading.recognition.recogniser import Recogniser
from ocr.reading.words import PlacedLine

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
TRAIN_PAGES = 120
"""Train pages that are learnt from at most: two minutes with the slowest recogniser."""
VAL_PAGES = 200
FOLDS = 10
RESAMPLES = 2000
SEED = 0
METRIC = "e2e_hmean"

Lines = Sequence[PlacedLine]


@dataclass(frozen=True)
class GapGain:
    """What a gap model changes.

    Attributes:
        model: Cuts above the probability that reads the validation pages best.
        examples: Gaps that it was learnt from.
        hmean: End-to-end Hmean on the validation pages without it.
        change: Change of that Hmean, with its 95 % interval. Every page is read at a threshold
            that was chosen on other documents, so the choice flatters nothing.
    """

    model: GapModel
    examples: int
    hmean: float
    change: Interval

    @property
    def pays(self) -> bool:
        """Whether it helps, as far as these pages tell."""
        return self.change.value > 0

    @property
    def metrics(self) -> dict[str, float]:
        """What a manifest says of it."""
        values = (self.change.value, max(self.change.lower, -1.0), min(self.change.upper, 1.0))
        return dict(zip(GAP_GAIN, values, strict=True))


def fit_gap_model(
    reader: PageReader, recogniser: Recogniser, snapshot: PageSnapshot
) -> GapGain | None:
    """Learn on train pages where lines end, and measure on validation pages what that changes.

    Args:
        reader: Finds the lines of pages and reads them, parting none.
        recogniser: Reads what is labelled.
        snapshot: The pages.

    Returns:
        None where no two lines stand beside each other, or there are no validation pages.
    """
    examples = [
        example
        for page in islice(snapshot.samples("train"), TRAIN_PAGES)
        for example in find_examples(snapshot.image(page), page.regions, recogniser)
    ]
    if len({example.ends for example in examples}) < 2:
        return None
    pages = list(islice(snapshot.samples("val"), VAL_PAGES))
    read = [reader.place_lines(snapshot.image(page)) for page in pages]
    return weigh_gap_model(examples, pages, read) if pages else None


def weigh_gap_model(
    examples: Sequence[GapExample], pages: Sequence[PageSample], read: Sequence[Lines]
) -> GapGain:
    """Say what a model of these gaps changes.

    Args:
        examples: To learn from.
        pages: Other pages; at least one.
        read: Their lines.
    """
    weights = fit_weights(examples)
    models = [GapModel(weights, cut_above) for cut_above in THRESHOLDS]
    regions = [page.regions for page in pages]
    before = _measure([count_lines(*each) for each in zip(regions, read, strict=True)])
    after = [
        _measure(
            [
                count_lines(labelled, cut_lines(lines, model))
                for labelled, lines in zip(regions, read, strict=True)
            ]
        )
        for model in models
    ]
    codes = group_codes([page.group for page in pages])
    numerator, denominator = np.empty((2, len(pages)))
    for fold in range(FOLDS):
        held_out = codes % FOLDS == fold
        best = after[_best(after, ~held_out)]
        numerator[held_out] = best.numerator[held_out]
        denominator[held_out] = best.denominator[held_out]
    draws = Resampling(codes, RESAMPLES, SEED)
    return GapGain(
        model=models[_best(after, np.ones(len(pages), dtype=bool))],
        examples=len(examples),
        hmean=before.value,
        change=estimate_change(Ratio(numerator, denominator), before, draws, confidence=0.95),
    )


def count_lines(regions: Sequence[Region], lines: Lines) -> PageCounts:
    """Count what is right and wrong of the lines of a page."""
    found = [PageLine(to_polygon(x.box), x.read.text, x.read.confidence) for x in lines]
    return count_page(regions, found, match_page(regions, [one.polygon for one in found]))


def _measure(counts: Sequence[PageCounts]) -> Ratio:
    return sum_pages(counts)[METRIC]


def _best(measured: Sequence[Ratio], pages: NDArray[np.bool_]) -> int:
    """Return which reads these pages best; of equals, the one that cuts the least."""
    values = [Ratio(one.numerator[pages], one.denominator[pages]).value for one in measured]
    return max(range(len(values)), key=lambda at: (values[at], at))
