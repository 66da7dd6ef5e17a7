"""Confidence bounds by resampling documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from ocr.evaluation.metrics import Ratio, Values

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Interval:
    """An estimate between its confidence bounds."""

    value: float
    lower: float
    upper: float


def group_codes(groups: Sequence[str]) -> Codes:
    """Number the groups of N samples from 0; a sample without a group ("") is one of its own."""
    own = (name or (position,) for position, name in enumerate(groups))
    seen: dict[str | tuple[int], int] = {}
    return np.array([seen.setdefault(name, len(seen)) for name in own], dtype=np.intp)


def estimate(
    ratio: Ratio, *, codes: Codes, resamples: int, seed: int, confidence: float = 0.95
) -> Interval:
    """Return a metric with its two-sided interval; (0, 1) around it when all is one group.

    The percentiles are widened for few groups as Hesterberg advises ("What Teachers Should Know
    About the Bootstrap", 2015, section 5.2): plain ones are too narrow by sqrt(1 − 1/G) and by
    the normal in place of the t distribution.
    """
    count = int(codes.max()) + 1
    if count < 2:
        return Interval(value=ratio.value, lower=-np.inf, upper=np.inf)
    draws = bootstrap(ratio, codes=codes, resamples=resamples, seed=seed)
    return widened(draws, value=ratio.value, groups=count, confidence=confidence)


def widened(draws: Values, *, value: float, groups: int, confidence: float) -> Interval:
    """Return the percentiles of what resamples of at least two groups gave, widened for few."""
    tail = float(ndtr(stdtrit(groups - 1, (1 - confidence) / 2) * np.sqrt(groups / (groups - 1))))
    lower, upper = np.quantile(draws, [tail, 1 - tail])
    return Interval(value=value, lower=float(lower), upper=float(upper))


def bootstrap(ratio: Ratio, *, codes: Codes, resamples: int, seed: int) -> Values:
    """Return the metric of each resample, (resamples,).

    Groups with equal sums are interchangeable, so how often each distinct sum is drawn is
    multinomial: the same distribution as drawing groups one by one, at a cost that follows the
    number of distinct sums (two, for an accuracy) instead of the number of samples.
    """
    sums = np.stack(
        [
            np.bincount(codes, weights=ratio.numerator),
            np.bincount(codes, weights=ratio.denominator),
        ],
        axis=1,
    )
    distinct, counts = np.unique(sums, axis=0, return_counts=True)
    draws = np.random.default_rng(seed).multinomial(
        len(sums), counts / counts.sum(), size=resamples
    )
    numerator, denominator = (draws @ distinct).T
    values: Values = numerator / np.maximum(denominator, 1e-12)
    return values


def wilson(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Return a share with Wilson's score interval, sound for few samples and shares of 0 or 1."""
    z = float(ndtri((1 + confidence) / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(value=share, lower=max(0.0, centre - half), upper=min(1.0, centre + half))
