"""What finding lines in 8 bits costs and saves."""

import time
from collections.abc import Sequence
from itertools import islice

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.split import Split
from ocr.evaluation.bootstrap import Resampling, group_codes
from ocr.evaluation.int8 import RESAMPLES, SEED, Clock, Int8Price, Turns
from ocr.evaluation.pages.comparison import compare_pages
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.ratio import Ratio, Values
from ocr.reading.detection.boxes import Detections
from ocr.reading.detection.detector import Detector

MOST_PAGES = 300


def weigh_int8_pages(
    float32: Detector,
    int8: Detector,
    snapshot: PageSnapshot,
    *,
    split: Split = "val",
    clock: Clock = time.thread_time,
) -> Int8Price | None:
    """Find the lines of at most `MOST_PAGES` pages of a split with both, in turns; None: no text.

    Args:
        float32: Finds on the calling thread.
        int8: The same net in 8 bits.
        snapshot: Has the split.
        split: Which.
        clock: Of the calling thread.
    """
    turns = Turns(float32.detect, int8.detect, clock=clock)
    counts: list[tuple[_Counts, _Counts]] = []
    groups: list[str] = []
    for page, image in islice(snapshot.images(split), MOST_PAGES):
        if not groups:
            turns.warm_up(image)
        plain, small = turns.ask(image)
        groups.append(page.group)
        counts.append((_Counts(page.regions, plain), _Counts(page.regions, small)))
    if not any(before.found.size for before, _ in counts):
        return None
    before, after = zip(*counts, strict=True)
    lines = _found(after), _found(before)
    draws = Resampling(group_codes(groups), RESAMPLES, SEED)
    return Int8Price(
        metric="Hmean",
        change=compare_pages(_hmean(after), _hmean(before), draws, lines=lines),
        alike=float((lines[0] == lines[1]).mean()),
        time=turns.time,
    )


class _Counts:
    """Of one page: twice its pairs, its boxes and regions, and which regions were found."""

    def __init__(self, regions: Sequence[Region], boxes: Detections) -> None:
        match = match_page(regions, boxes.boxes)
        self.pairs = 2.0 * len(match.pairs)
        self.both = float(len(match.boxes) + len(match.truths))
        paired = {truth for truth, _ in match.pairs}
        self.found = np.array([float(truth in paired) for truth in match.truths])


def _hmean(pages: Sequence[_Counts]) -> Ratio:
    return Ratio(np.array([page.pairs for page in pages]), np.array([page.both for page in pages]))


def _found(pages: Sequence[_Counts]) -> Values:
    return np.concatenate([page.found for page in pages])
