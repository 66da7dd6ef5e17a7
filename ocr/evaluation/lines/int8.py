"""What reading lines in 8 bits costs and saves."""

import time
from collections.abc import Callable
from itertools import islice

import numpy as np

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.split import Split
from ocr.evaluation.bootstrap import Resampling, group_codes
from ocr.evaluation.int8 import RESAMPLES, SEED, Int8Price
from ocr.evaluation.lines.comparison import compare_lines
from ocr.reading.recognition.recogniser import Recogniser

MOST_LINES = 1500
BATCH = 64


def weigh_int8_lines(
    float32: Recogniser,
    int8: Recogniser,
    snapshot: LineSnapshot,
    *,
    split: Split = "val",
    clock: Callable[[], float] = time.thread_time,
) -> Int8Price | None:
    """Read at most `MOST_LINES` lines of a split with both, in turns; None: it has none.

    Args:
        float32: Reads on the calling thread.
        int8: The same net in 8 bits.
        snapshot: Has the split.
        split: Which.
        clock: Returns processor seconds of the calling thread.
    """
    rows = islice(snapshot.images(split), MOST_LINES)
    spent_s = np.zeros(2)
    right: list[tuple[float, float]] = []
    groups: list[str] = []
    alike = 0
    for batch in iter(lambda: list(islice(rows, BATCH)), []):
        images = [image for _, image in batch]
        if not groups:  # what a session does once is no reader's price
            float32.recognise(images[:1]), int8.recognise(images[:1])
        began = clock()
        plain = float32.recognise(images)
        between = clock()
        small = int8.recognise(images)
        spent_s += between - began, clock() - between
        for (line, _), one, other in zip(batch, plain, small, strict=True):
            groups.append(line.group)
            right.append((float(one.text == line.text), float(other.text == line.text)))
            alike += one.text == other.text
    if not groups:
        return None
    before, after = np.array(right).T
    draws = Resampling(group_codes(groups), RESAMPLES, SEED)
    return Int8Price(
        metric="accuracy",
        change=compare_lines(after, before, draws),
        alike=alike / len(groups),
        time=float(spent_s[1] / spent_s[0]),
    )
