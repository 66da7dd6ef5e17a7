"""How much better or worse a candidate is than its opponent, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtr

from ocr.evaluation.bootstrap import Codes, Interval, Resampling, estimate, wilson
from ocr.evaluation.ratio import Ratio

# Each bound of a change holds with 95 % confidence on its own: a two-sided 90 % interval.
BOUND_CONFIDENCE = 0.95
TWO_SIDED = 2 * BOUND_CONFIDENCE - 1


@dataclass(frozen=True)
class Comparison:
    """The change of a metric from opponent to candidate.

    Attributes:
        kind: ``paired``: both read the same samples; ``number``: a number is required.
        n: Samples; ``groups``: documents they come from.
        candidate: Metric of the candidate; ``opponent``: of the opponent, or what is required.
        change: candidate − opponent; ``lower``, ``upper``: its one-sided 95 % bounds, all that is
            possible where `FEWEST_GROUPS` are not reached.
        gained: Lines that only the candidate reads; ``lost``: that only the opponent reads.
        p_value: Two-sided test of no change.
    """

    kind: Literal["paired", "number"]
    n: int
    groups: int
    candidate: float
    opponent: float
    change: float
    lower: float
    upper: float
    gained: int
    lost: int
    p_value: float


def compare_with_number(
    candidate: Ratio, required: float, *, trials: int, draws: Resampling
) -> Comparison:
    """Compare a metric with a required value of it, taken as exact.

    Args:
        candidate: The metric by sample.
        required: The value.
        trials: The metric is a share of so many trials: the bounds are never narrower than theirs.
        draws: How samples are drawn anew.
    """
    by_group = estimate(candidate, draws, confidence=TWO_SIDED)
    by_trial = wilson(round(candidate.value * trials), trials, confidence=TWO_SIDED)
    bounds = by_group.widened(by_trial)
    surplus = Ratio(candidate.numerator - required * candidate.denominator, candidate.denominator)
    return Comparison(
        kind="number",
        n=len(draws.codes),
        groups=draws.groups,
        candidate=candidate.value,
        opponent=required,
        change=candidate.value - required,
        lower=max(0.0, bounds.lower) - required,
        upper=min(1.0, bounds.upper) - required,
        gained=0,
        lost=0,
        p_value=p_value_by_group(surplus, codes=draws.codes),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for their number (Holm 1979); the order is kept."""
    order = np.argsort(p_values)
    factors = np.arange(len(p_values), 0, -1)
    stepped = np.maximum.accumulate(np.asarray(p_values, dtype=float)[order] * factors)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def p_value_by_group(change: Ratio, *, codes: Codes) -> float:
    """Return the two-sided p-value of a ratio of 0, samples of one group counting as dependent."""
    sums = np.bincount(codes, weights=change.numerator - change.value * change.denominator)
    groups = len(sums)
    if groups < 2 or change.value == 0:
        return 1.0
    error = np.sqrt(groups / (groups - 1) * np.sum(sums**2)) / change.denominator.sum()
    return 2 * float(stdtr(groups - 1, -abs(change.value) / error)) if error else 0.0


def paired_wald(*, gained: int, lost: int, n: int) -> Interval:
    """Keep the bounds honest where the bootstrap sees no change at all and answers "exactly 0".

    Bonett and Price, "Adjusted Wald confidence interval for a difference of binomial proportions
    based on paired data", 2012: one more gain and one more loss, two more trials.
    """
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    half = float(ndtri(BOUND_CONFIDENCE)) * np.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return Interval(value=up - down, lower=float(up - down - half), upper=float(up - down + half))
