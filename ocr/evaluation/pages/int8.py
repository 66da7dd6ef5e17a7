"""What finding lines in 8 bits costs and saves."""

import time
from collections.abc import Sequence
from itertools import islice

import numpy as np

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.split import Split
from ocr.evaluation.bootstrap import Resampling, group_codes
from ocr.evaluation.int8 import RESAMPLES, SEED, Clock, Int8Price, Turns
from ocr.evaluation.pages.comparison import compare_pages
from ocr.evaluation.pages.detection import sum_hmean
from ocr.evaluation.pages.matching import PageMatch, match_page
from ocr.evaluation.ratio import Values
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
    matches: list[tuple[PageMatch, PageMatch]] = []
    groups: list[str] = []
    for page, image in islice(snapshot.images(split), MOST_PAGES):
        if not groups:
            turns.warm_up(image)
        plain, small = turns.ask(image)
        groups.append(page.group)
        matches.append(
            (match_page(page.regions, plain.boxes), match_page(page.regions, small.boxes))
        )
    if not any(before.truths for before, _ in matches):
        return None
    before, after = zip(*matches, strict=True)
    lines = _found(after), _found(before)
    draws = Resampling(group_codes(groups), RESAMPLES, SEED)
    return Int8Price(
        metric="Hmean",
        change=compare_pages(sum_hmean(after), sum_hmean(before), draws, lines=lines),
        alike=float((lines[0] == lines[1]).mean()),
        time=turns.time,
    )


def _found(matches: Sequence[PageMatch]) -> Values:
    """Return of every region that counts whether it was found."""
    missed = (set(match.missed) for match in matches)
    return np.array(
        [
            float(truth not in others)
            for match, others in zip(matches, missed, strict=True)
            for truth in match.truths
        ]
    )
