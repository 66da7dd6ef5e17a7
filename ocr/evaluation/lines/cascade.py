"""Which lines a cascade may read again within its time, and what that gains."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ocr.dataset.lines.snapshot import LineSample, LineSnapshot
from ocr.evaluation.bootstrap import Interval, Resampling, estimate, group_codes
from ocr.evaluation.ratio import mean_of
from ocr.image.pixels import Image
from ocr.models.pipeline import CASCADE
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser

MOST_LINES = 2500
BATCH = 64
RESAMPLES = 2000
SEED = 0


@dataclass(frozen=True)
class CascadeGain:
    """What a second recogniser changes.

    Attributes:
        below: Lines whose least sure character is below this probability are read again.
        share: Share of the lines that are.
        time_factor: Processor time of reading, by that of the fast recogniser alone.
        accuracy: Share of lines that the fast recogniser alone reads right.
        change: Change of that share, with its 95 % interval; as wide as can be where none is known.
    """

    below: float
    share: float
    time_factor: float
    accuracy: float
    change: Interval

    @property
    def pays(self) -> bool:
        """Whether more lines are read right."""
        return self.change.value > 0

    @property
    def metrics(self) -> dict[str, float]:
        """What a manifest says of it."""
        change = self.change
        values = (self.share, self.time_factor, change.value, change.lower, change.upper)
        return dict(zip(CASCADE, values, strict=True))


def fit_cascade(
    fast: Recogniser,
    accurate: Recogniser,
    snapshot: LineSnapshot,
    *,
    time_factor: float,
    clock: Callable[[], float] = time.thread_time,
) -> CascadeGain:
    """Read the validation lines, and as many of the unsure ones again as the time allows.

    Args:
        fast: Reads every line, on the calling thread.
        accurate: Reads the least sure ones again, on the calling thread.
        snapshot: Of whose validation split at most `MOST_LINES` are read.
        time_factor: Reading may take so many times what the fast one takes alone; above 1.
        clock: Returns processor seconds of the calling thread.
    """
    rows = islice(snapshot.images("val"), MOST_LINES)
    lines: list[LineSample] = []
    read: list[Recognition] = []
    fast_s = 0.0
    for batch in iter(lambda: list(islice(rows, BATCH)), []):
        texts, spent_s = _time(fast, [image for _, image in batch], clock)
        lines += [line for line, _ in batch]
        read += texts
        fast_s += spent_s
    left_s = (time_factor - 1) * fast_s
    order = sorted(range(len(lines)), key=lambda at: read[at].least_confidence)
    again: list[tuple[int, Recognition, float]] = []
    for at in order:
        (text,), spent_s = _time(accurate, [snapshot.image(lines[at])], clock)
        left_s -= spent_s
        if left_s < 0:
            break
        again.append((at, text, spent_s))
    below = read[order[len(again)]].least_confidence if len(again) < len(order) else 1.0
    return _weigh(lines, read, again, below=below, fast_s=fast_s)


def _time(
    recogniser: Recogniser, images: Sequence[Image], clock: Callable[[], float]
) -> tuple[list[Recognition], float]:
    started = clock()
    return recogniser.recognise(images), clock() - started


def _weigh(
    lines: Sequence[LineSample],
    read: Sequence[Recognition],
    again: Sequence[tuple[int, Recognition, float]],
    *,
    below: float,
    fast_s: float,
) -> CascadeGain:
    """Say what the lines gain that a cascade reads again: of equally sure ones all or none."""
    truly = [each for each in again if read[each[0]].least_confidence < below]
    right = np.array([line.text == one.text for line, one in zip(lines, read, strict=True)], float)
    change = np.zeros(len(lines))
    for at, text, _ in truly:
        change[at] = float(text.text == lines[at].text) - right[at]
    draws = Resampling(group_codes([line.group for line in lines]), RESAMPLES, SEED)
    found = estimate(mean_of(change), draws)
    return CascadeGain(
        below=below,
        share=len(truly) / len(lines),
        time_factor=1 + sum(spent_s for _, _, spent_s in truly) / fast_s,
        accuracy=float(right.mean()),
        change=Interval(found.value, lower=max(found.lower, -1.0), upper=min(found.upper, 1.0)),
    )
