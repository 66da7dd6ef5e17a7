"""Where lines end: whether a gap between two words parts two lines of a row; a pipeline's file.

A detector sees how wide a gap is. Whether `63.80   SR` is one line or two, labels decide by what
stands on both sides as well. This is a logistic regression over both.
"""

import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.models.array_file import open_arrays

LEAST_HEIGHTS: Final = 0.5
"""A gap of fewer heights of its line parts words only."""

BUCKETS: Final = 1 << 14
"""Weights; features share them by their hash, but for those of the width."""

_WIDTHS: Final = (0.5, 0.65, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0, 4.0)
"""A gap is near one or two of these, in heights of its line."""

_NEAR: Final = 0.3
"""So far on the logarithmic scale."""

_CHARACTERS: Final = 5
"""So many beside a gap are looked at, a number counting as one."""

_LOOKED_AT: Final = 40
"""Characters beside a gap in which these are looked for."""

_PAIR: Final = 2
_END: Final = "\n"
_NUMBER: Final = re.compile(r"\d+")
_MOST_BYTES: Final = BUCKETS * np.dtype(np.float32).itemsize + (1 << 12)


@dataclass(frozen=True)
class Gap:
    """White between two words of a line.

    Attributes:
        heights: Its width, in heights of the line.
        left: What the line reads before it, from the gap before.
        right: What it reads behind it, up to the next gap.
    """

    heights: float
    left: str
    right: str


@dataclass(frozen=True)
class GapModel:
    """Which gaps part lines.

    Attributes:
        weights: (BUCKETS,) of the features that `describe` tells of a gap.
        cut_above: Lines are parted where it is more probable than this that they end, 0 to 1.
    """

    weights: NDArray[np.float32]
    cut_above: float

    def __post_init__(self) -> None:
        if self.weights.shape != (BUCKETS,) or self.weights.dtype != np.float32:
            raise BadData(
                f"Expected {BUCKETS} weights of gaps, got {self.weights.shape} {self.weights.dtype}"
            )
        if not np.isfinite(self.weights).all():
            raise BadData("A weight of gaps is no finite number")
        if not 0 <= self.cut_above <= 1:
            raise BadData(f"Lines are cut above {self.cut_above}, expected a probability")

    def probability(self, gap: Gap) -> float:
        """Return how probable it is that a line ends at a gap."""
        score = sum(float(self.weights[bucket]) * value for bucket, value in describe(gap))
        return 1 / (1 + math.exp(-max(-50.0, min(score, 50.0))))

    def write(self, path: Path) -> None:
        """Write the file of a pipeline."""
        cut_above = np.array(self.cut_above, dtype=np.float64)
        np.savez_compressed(path, weights=self.weights, cut_above=cut_above)

    @classmethod
    def read(cls, path: Path) -> "GapModel":
        """Read the file of a pipeline, refusing pickles.

        Raises:
            BadData: It is damaged, or larger than any that was written.
        """
        with open_arrays(path, kind="gap model", most_bytes=_MOST_BYTES) as stored:
            return cls(stored["weights"], stored.number("cut_above"))


def describe(gap: Gap) -> Iterator[tuple[int, float]]:
    """Yield the features of a gap: a place among the weights and a value, not 0.

    They are its width and what its line reads on both sides, each in one to five characters, the
    line's end being one.
    """
    width = math.log(max(gap.heights, LEAST_HEIGHTS))
    yield 0, width
    for place, centre in enumerate(_WIDTHS, start=1):
        near = 1 - abs(width - math.log(centre)) / _NEAR
        if near > 0:
            yield place, near
    left = _END + _NUMBER.sub("0", gap.left[-_LOOKED_AT:])
    right = _NUMBER.sub("0", gap.right[:_LOOKED_AT]) + _END
    for length in range(1, min(_CHARACTERS, len(left)) + 1):
        yield _bucket(f"left {left[-length:]}"), 1.0
    for length in range(1, min(_CHARACTERS, len(right)) + 1):
        yield _bucket(f"right {right[:length]}"), 1.0
    for length in range(1, _PAIR + 1):
        yield _bucket(f"both {left[-length:]} {right[:length]}"), 1.0


def _bucket(feature: str) -> int:
    own = len(_WIDTHS) + 1
    return own + zlib.crc32(feature.encode()) % (BUCKETS - own)
