"""Candidate against opponent on the same lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import bdtr, bdtrc, ndtri, stdtr

from ocr.evaluation.bootstrap import Codes, Interval, estimate, wilson
from ocr.evaluation.metrics import Ratio, Values

# Each bound of a change holds with 95 % confidence on its own: a two-sided 90 % interval.
BOUND_CONFIDENCE = 0.95
TWO_SIDED = 2 * BOUND_CONFIDENCE - 1


@dataclass(frozen=True)
class Comparison:
    """The change of a metric from opponent to candidate: accuracy on lines, an Hmean on pages.

    Attributes:
        kind: ``paired``: both read the same samples; ``number``: a number is required.
        n: Samples, lines or pages; ``groups``: documents they come from.
        candidate: Metric of the candidate; ``opponent``: of the opponent, or what is required.
        change: candidate − opponent; ``lower``, ``upper``: its one-sided 95 % bounds.
        gained: Lines that only the candidate reads; ``lost``: that only the opponent reads.
        p_value: Two-sided test of no change. On lines: the larger of the exact McNemar test (for a
            number: the exact binomial test) and a t test on documents.
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


def compare_paired(
    candidate: Values, opponent: Values, *, codes: Codes, resamples: int, seed: int
) -> Comparison:
    """Compare two readings of the same lines.

    Args:
        candidate: 1.0 where the candidate read the line exactly, else 0.0; (N,).
        opponent: The same of the opponent.
        codes: Group of each line, from 0.
        resamples: Resamples of the bootstrap by group.
        seed: Its seed.
    """
    n = len(candidate)
    gained = int(np.sum(candidate > opponent))
    lost = int(np.sum(candidate < opponent))
    change = Ratio(numerator=candidate - opponent, denominator=np.ones(n))
    by_group = _estimate(change, codes=codes, resamples=resamples, seed=seed)
    by_line = paired_wald(gained=gained, lost=lost, n=n)
    return Comparison(
        kind="paired",
        n=n,
        groups=int(codes.max()) + 1,
        candidate=float(candidate.mean()),
        opponent=float(opponent.mean()),
        change=by_group.value,
        lower=max(-1.0, min(by_group.lower, by_line.lower)),
        upper=min(1.0, max(by_group.upper, by_line.upper)),
        gained=gained,
        lost=lost,
        p_value=max(mcnemar(gained=gained, lost=lost), p_value_by_group(change, codes=codes)),
    )


def compare_with_number(
    candidate: Values, required: float, *, codes: Codes, resamples: int, seed: int
) -> Comparison:
    """Compare a reading with a required accuracy, taken as exact."""
    n, right = len(candidate), int(candidate.sum())
    share = Ratio(numerator=candidate, denominator=np.ones(n))
    surplus = Ratio(numerator=candidate - required, denominator=np.ones(n))
    by_group = _estimate(share, codes=codes, resamples=resamples, seed=seed)
    by_line = wilson(right, n, confidence=TWO_SIDED)
    return Comparison(
        kind="number",
        n=n,
        groups=int(codes.max()) + 1,
        candidate=by_group.value,
        opponent=required,
        change=by_group.value - required,
        lower=max(0.0, min(by_group.lower, by_line.lower)) - required,
        upper=min(1.0, max(by_group.upper, by_line.upper)) - required,
        gained=0,
        lost=0,
        p_value=max(_two_sided(right, n, required), p_value_by_group(surplus, codes=codes)),
    )


def mcnemar(*, gained: int, lost: int) -> float:
    """Return the two-sided exact p-value that gains and losses are equally likely.

    McNemar, "Note on the sampling error of the difference between correlated proportions", 1947.
    """
    return _two_sided(gained, gained + lost, 0.5)


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
    based on paired data", 2012: one more gain and one more loss, two more lines.
    """
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    half = float(ndtri(BOUND_CONFIDENCE)) * np.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return Interval(value=up - down, lower=float(up - down - half), upper=float(up - down + half))


def _estimate(ratio: Ratio, *, codes: Codes, resamples: int, seed: int) -> Interval:
    return estimate(ratio, codes=codes, resamples=resamples, seed=seed, confidence=TWO_SIDED)


def _two_sided(successes: int, n: int, share: float) -> float:
    below, above = bdtr(successes, n, share), bdtrc(successes - 1, n, share)
    return min(1.0, 2.0 * float(min(below, above)))
