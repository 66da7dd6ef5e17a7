"""Confidence bounds by resampling documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from ocr.evaluation.ratio import Ratio, Values

Codes = NDArray[np.intp]

FEWEST_GROUPS = 5
"""Groups of which a bound can hold with 95 %.

Resamples of G groups stay between the least and the greatest of them, and all lie above the truth,
or all below, with a probability of 2^-G each: 25 % of two, 6 % of four, 3 % of five.
"""


@dataclass(frozen=True)
class Interval:
    """An estimate between its confidence bounds."""

    value: float
    lower: float
    upper: float

    def widened(self, other: "Interval") -> "Interval":
        """Return the estimate between bounds that hold the other's too."""
        lower, upper = min(self.lower, other.lower), max(self.upper, other.upper)
        return Interval(self.value, lower=lower, upper=upper)


@dataclass(frozen=True)
class Resampling:
    """How samples are drawn anew: those of one group together.

    Attributes:
        codes: Group of each sample, from 0; (N,).
        resamples: How often they are drawn.
        seed: Of the draws.
    """

    codes: Codes
    resamples: int
    seed: int

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.codes.max()) + 1


def group_codes(groups: Sequence[str]) -> Codes:
    """Number the groups of N samples from 0; a sample without a group ("") is one of its own."""
    own = (name or (position,) for position, name in enumerate(groups))
    seen: dict[str | tuple[int], int] = {}
    return np.array([seen.setdefault(name, len(seen)) for name in own], dtype=np.intp)


def count_documents(groups: Sequence[str]) -> int:
    """Return how many documents N samples are of, numbered as `group_codes` does."""
    return int(group_codes(groups).max()) + 1


def estimate(
    ratio: Ratio, draws: Resampling, *, confidence: float = 0.95, fewest: int = FEWEST_GROUPS
) -> Interval:
    """Return a metric with its two-sided interval; of too few groups it has no bounds: ±inf.

    The percentiles are widened for few groups as Hesterberg advises ("What Teachers Should Know
    About the Bootstrap", 2015, section 5.2): plain ones are too narrow by sqrt(1 − 1/G) and by
    the normal in place of the t distribution.

    Args:
        ratio: The metric by sample.
        draws: How samples are drawn anew.
        confidence: Of the interval.
        fewest: Groups that it needs, at least two.
    """
    if draws.groups < fewest:
        return Interval(value=ratio.value, lower=-np.inf, upper=np.inf)
    drawn = bootstrap(ratio, draws)
    return widened(drawn, value=ratio.value, groups=draws.groups, confidence=confidence)


def estimate_possible(ratio: Ratio, draws: Resampling) -> Interval:
    """Return a metric with its 95 % interval, cut to what is possible: from 0 to 1, or to it."""
    found = estimate(ratio, draws)
    upper = min(found.upper, max(1.0, found.value))
    return Interval(value=found.value, lower=max(found.lower, 0.0), upper=upper)


def widened(drawn: Values, *, value: float, groups: int, confidence: float) -> Interval:
    """Return the percentiles of what resamples of at least two groups gave, widened for few."""
    tail = float(ndtr(stdtrit(groups - 1, (1 - confidence) / 2) * np.sqrt(groups / (groups - 1))))
    lower, upper = np.quantile(drawn, [tail, 1 - tail])
    return Interval(value=value, lower=float(lower), upper=float(upper))


def bootstrap(ratio: Ratio, draws: Resampling) -> Values:
    """Return the metric of each resample, (resamples,).

    Groups with equal sums are interchangeable, so how often each distinct sum is drawn is
    multinomial: the same distribution as drawing groups one by one, at a cost that follows the
    number of distinct sums (two, for an accuracy) instead of the number of samples.
    """
    sums = sum_by_group(ratio, draws.codes)
    distinct, counts = np.unique(sums, axis=0, return_counts=True)
    drawn = np.random.default_rng(draws.seed).multinomial(
        len(sums), counts / counts.sum(), size=draws.resamples
    )
    numerator, denominator = (drawn @ distinct).T
    values: Values = numerator / np.maximum(denominator, 1e-12)
    return values


def sum_by_group(ratio: Ratio, codes: Codes) -> Values:
    """Return numerators and denominators summed by group, (groups, 2)."""
    return np.stack(
        [np.bincount(codes, weights=part) for part in (ratio.numerator, ratio.denominator)], axis=1
    )


def wilson(successes: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return a share with Wilson's score interval, sound for few samples and shares of 0 or 1."""
    z = float(ndtri((1 + confidence) / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(value=share, lower=max(0.0, centre - half), upper=min(1.0, centre + half))
