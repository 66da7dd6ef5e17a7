"""Candidate against opponent on the same pages."""

import numpy as np

from ocr.evaluation.bootstrap import (
    FEWEST_GROUPS,
    Interval,
    Resampling,
    sum_by_group,
    widened,
)
from ocr.evaluation.comparison import TWO_SIDED, Comparison, compare_with_number, paired_wald
from ocr.evaluation.ratio import Ratio, Values


def compare_pages(
    candidate: Ratio, opponent: Ratio, draws: Resampling, *, lines: tuple[Values, Values]
) -> Comparison:
    """Compare two readings of the same pages; the p-value is a permutation test's.

    Args:
        candidate: A metric of the candidate as sums by page, (pages,).
        opponent: The same of the opponent.
        draws: How pages are drawn anew, and exchanged.
        lines: 1.0 where the candidate, and where the opponent, got a labelled line right, else
            0.0; (lines,) each.
    """
    sums = _sum_both(candidate, opponent, draws)
    ours, theirs = lines
    gained, lost = int((ours > theirs).sum()), int((ours < theirs).sum())
    change = candidate.value - opponent.value
    drawn = _estimate(sums, change, draws, confidence=TWO_SIDED)
    by_line = paired_wald(gained=gained, lost=lost, n=len(ours))
    half = (by_line.upper - by_line.lower) / 2
    return Comparison(
        kind="paired",
        n=len(draws.codes),
        groups=draws.groups,
        candidate=candidate.value,
        opponent=opponent.value,
        change=change,
        lower=max(-1.0, min(drawn.lower, change - half)),
        upper=min(1.0, max(drawn.upper, change + half)),
        gained=gained,
        lost=lost,
        p_value=_permute(sums, draws),
    )


def compare_pages_with_number(candidate: Ratio, required: float, draws: Resampling) -> Comparison:
    """Compare an Hmean of the candidate, as sums by page, with a required value of it."""
    # An Hmean is a share of half of the regions and boxes together.
    trials = max(1, round(candidate.denominator.sum() / 2))
    return compare_with_number(candidate, required, trials=trials, draws=draws)


def p_value_by_sign(changes: Values, draws: Resampling) -> float:
    """Return the two-sided p-value that the changes (N,) of each group might have been reversed."""
    by_group = np.bincount(draws.codes, weights=changes)
    signs = np.random.default_rng(draws.seed).choice(
        (-1.0, 1.0), size=(draws.resamples, len(by_group))
    )
    return _share_as_large(signs @ by_group, float(changes.sum()))


def estimate_change(
    candidate: Ratio, opponent: Ratio, draws: Resampling, *, confidence: float
) -> Interval:
    """Return candidate − opponent with its two-sided interval when groups are drawn anew.

    It is (-1, 1) where groups are too few.
    """
    sums = _sum_both(candidate, opponent, draws)
    return _estimate(sums, candidate.value - opponent.value, draws, confidence=confidence)


def _estimate(sums: Values, change: float, draws: Resampling, *, confidence: float) -> Interval:
    """Return the change with its interval; sums are (2, groups, 2)."""
    groups = draws.groups
    if groups < FEWEST_GROUPS:
        return Interval(value=change, lower=-1.0, upper=1.0)
    drawn = np.random.default_rng(draws.seed).multinomial(
        groups, np.full(groups, 1 / groups), size=draws.resamples
    )
    return widened(_change(drawn @ sums), value=change, groups=groups, confidence=confidence)


def _sum_both(candidate: Ratio, opponent: Ratio, draws: Resampling) -> Values:
    """Return the sums by group of both readers, (2, groups, 2)."""
    return np.stack([sum_by_group(reader, draws.codes) for reader in (candidate, opponent)])


def _permute(sums: Values, draws: Resampling) -> float:
    """Return the two-sided p-value that each group's readings might have been exchanged."""
    swapped = np.random.default_rng(draws.seed).random((draws.resamples, draws.groups)) < 0.5
    moved = swapped @ (sums[1] - sums[0])
    totals = sums.sum(axis=1)[:, None]
    return _share_as_large(
        _change(np.stack([totals[0] + moved, totals[1] - moved])), float(_change(totals)[0])
    )


def _change(totals: Values) -> Values:
    """Return candidate − opponent of totals (2, N, 2)."""
    numerators, denominators = totals[..., 0], totals[..., 1]
    values = numerators / np.maximum(denominators, 1e-12)
    changes: Values = values[0] - values[1]
    return changes


def _share_as_large(drawn: Values, observed: float) -> float:
    """Count the observation itself as one of the draws (Phipson and Smyth 2010)."""
    as_large = int((np.abs(drawn) >= abs(observed) - 1e-12).sum())
    return (as_large + 1) / (len(drawn) + 1)
