"""What reading lines in 8 bits costs and saves."""

import time
from itertools import islice

import numpy as np

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.split import Split
from ocr.evaluation.bootstrap import Resampling, group_codes
from ocr.evaluation.int8 import RESAMPLES, SEED, Clock, Int8Price, Turns
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
    clock: Clock = time.thread_time,
) -> Int8Price | None:
    """Read at most `MOST_LINES` lines of a split with both, in turns; None: it has none.

    Args:
        float32: Reads on the calling thread.
        int8: The same net in 8 bits.
        snapshot: Has the split.
        split: Which.
        clock: Of the calling thread.
    """
    rows = islice(snapshot.images(split), MOST_LINES)
    turns = Turns(float32.recognise, int8.recognise, clock=clock)
    right: list[tuple[float, float]] = []
    groups: list[str] = []
    alike = 0
    for batch in iter(lambda: list(islice(rows, BATCH)), []):
        images = [image for _, image in batch]
        if not groups:
            turns.warm_up(images[:1])
        plain, small = turns.ask(images)
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
        time=turns.time,
    )
