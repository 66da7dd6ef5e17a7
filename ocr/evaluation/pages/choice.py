"""Which of several ways of reading pages reads them best, and what that changes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Interval, Resampling, group_codes
from ocr.evaluation.held_out import choose_held_out
from ocr.evaluation.pages.comparison import estimate_change
from ocr.evaluation.pages.counts import PageCounts
from ocr.evaluation.pages.metrics import sum_pages
from ocr.evaluation.ratio import Ratio

MOST_LINES = 10_000
"""Lines of validation pages that are enough to choose by."""
RESAMPLES = 2000
SEED = 0
METRIC = "e2e_hmean"


@dataclass(frozen=True)
class Gain:
    """What a way of reading changes.

    Attributes:
        hmean: End-to-end Hmean of the pages as they are read without it.
        change: Change of that Hmean, with its 95 % interval. Every page is read in the way that was
            chosen on other documents, so the choice flatters nothing.
    """

    hmean: float
    change: Interval

    @property
    def pays(self) -> bool:
        """Whether it helps, as far as these pages tell."""
        return self.change.value > 0

    def metrics(self, names: Sequence[str]) -> dict[str, float]:
        """Say of the change in a manifest: value, lower and upper bound by these names."""
        change = self.change
        return dict(zip(names, (change.value, change.lower, change.upper), strict=True))


def choose_way(counts: Sequence[Sequence[PageCounts]], groups: Sequence[str]) -> tuple[int, Gain]:
    """Return which way reads pages best, and what it changes.

    Args:
        counts: Of each page, of which there are some, as it is read without and in each way; of
            equals the last is chosen.
        groups: The document of each page.

    Returns:
        The number of the way, from 0, and the gain.
    """
    before, *after = (sum_pages(way)[METRIC] for way in zip(*counts, strict=True))
    codes = group_codes(groups)
    ways = [*after, before]  # as without, where no other document says how
    held_out = choose_held_out(codes, lambda some: _best(after, some) if some.any() else len(after))
    pages = np.arange(len(groups))
    numerators = np.stack([way.numerator for way in ways])
    denominators = np.stack([way.denominator for way in ways])
    chosen = Ratio(numerators[held_out, pages], denominators[held_out, pages])
    draws = Resampling(codes, RESAMPLES, SEED)
    change = estimate_change(chosen, before, draws, confidence=0.95)
    return _best(after, codes >= 0), Gain(before.value, change)


def _best(measured: Sequence[Ratio], pages: NDArray[np.bool_]) -> int:
    values = [Ratio(one.numerator[pages], one.denominator[pages]).value for one in measured]
    return max(range(len(values)), key=lambda at: (values[at], at))
