"""Candidate against opponent on the same pages."""

import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Codes, estimate, widened, wilson
from ocr.evaluation.comparison import TWO_SIDED, Comparison, p_value_by_group, paired_wald
from ocr.evaluation.metrics import Ratio, Values

Found = NDArray[np.bool_]


def compare_pages(
    candidate: Ratio,
    opponent: Ratio,
    *,
    lines: tuple[Found, Found],
    codes: Codes,
    resamples: int,
    seed: int,
) -> Comparison:
    """Compare two readings of the same pages.

    Args:
        candidate: A metric of the candidate as sums by page, (pages,).
        opponent: The same of the opponent.
        lines: Which labelled lines the candidate, and which the opponent, got right; (lines,) each.
        codes: Group of each page, from 0.
        resamples: Of the bootstrap by group, and of the permutation test.
        seed: Of both.
    """
    sums = np.stack([_by_group(candidate, codes), _by_group(opponent, codes)])
    gained, lost = int((lines[0] & ~lines[1]).sum()), int((lines[1] & ~lines[0]).sum())
    change = candidate.value - opponent.value
    lower, upper = _bound(sums, change, resamples=resamples, seed=seed)
    by_line = paired_wald(gained=gained, lost=lost, n=len(lines[0]))
    half = (by_line.upper - by_line.lower) / 2
    return Comparison(
        kind="paired",
        n=len(codes),
        groups=sums.shape[1],
        candidate=candidate.value,
        opponent=opponent.value,
        change=change,
        lower=max(-1.0, min(lower, change - half)),
        upper=min(1.0, max(upper, change + half)),
        gained=gained,
        lost=lost,
        p_value=_permute(sums, resamples=resamples, seed=seed),
    )


def compare_pages_with_number(
    candidate: Ratio, required: float, *, codes: Codes, resamples: int, seed: int
) -> Comparison:
    """Compare a metric of the candidate, as sums by page, with a required value of it."""
    surplus = Ratio(candidate.numerator - required * candidate.denominator, candidate.denominator)
    by_group = estimate(
        candidate, codes=codes, resamples=resamples, seed=seed, confidence=TWO_SIDED
    )
    # An Hmean is a share of half of the regions and boxes together.
    n = max(1, round(candidate.denominator.sum() / 2))
    by_line = wilson(round(candidate.value * n), n, confidence=TWO_SIDED)
    return Comparison(
        kind="number",
        n=len(codes),
        groups=int(codes.max()) + 1,
        candidate=candidate.value,
        opponent=required,
        change=candidate.value - required,
        lower=max(0.0, min(by_group.lower, by_line.lower)) - required,
        upper=min(1.0, max(by_group.upper, by_line.upper)) - required,
        gained=0,
        lost=0,
        p_value=p_value_by_group(surplus, codes=codes),
    )


def p_value_by_sign(changes: Values, *, resamples: int, seed: int) -> float:
    """Return the two-sided p-value that each of the changes (groups,) might have been reversed."""
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(resamples, len(changes)))
    return _share_as_large(signs @ changes, float(changes.sum()))


def _by_group(ratio: Ratio, codes: Codes) -> NDArray[np.float64]:
    """Return numerators and denominators summed by group, (groups, 2)."""
    return np.stack(
        [np.bincount(codes, weights=part) for part in (ratio.numerator, ratio.denominator)], axis=1
    )


def _bound(
    sums: NDArray[np.float64], change: float, *, resamples: int, seed: int
) -> tuple[float, float]:
    """Return the bounds of the change when groups are drawn anew; sums are (2, groups, 2)."""
    groups = sums.shape[1]
    if groups < 2:
        return -1.0, 1.0
    drawn = np.random.default_rng(seed).multinomial(
        groups, np.full(groups, 1 / groups), size=resamples
    )
    interval = widened(_change(drawn @ sums), value=change, groups=groups, confidence=TWO_SIDED)
    return interval.lower, interval.upper


def _permute(sums: NDArray[np.float64], *, resamples: int, seed: int) -> float:
    """Return the two-sided p-value that each group's readings might have been exchanged."""
    swapped = np.random.default_rng(seed).random((resamples, sums.shape[1])) < 0.5
    moved = swapped @ (sums[1] - sums[0])
    totals = sums.sum(axis=1)[:, None]
    return _share_as_large(
        _change(np.stack([totals[0] + moved, totals[1] - moved])), float(_change(totals)[0])
    )


def _change(totals: NDArray[np.float64]) -> Values:
    """Return candidate − opponent of totals (2, N, 2)."""
    numerators, denominators = totals[..., 0], totals[..., 1]
    values = numerators / np.maximum(denominators, 1e-12)
    changes: Values = values[0] - values[1]
    return changes


def _share_as_large(drawn: Values, observed: float) -> float:
    """Count the observation itself as one of the draws (Phipson and Smyth 2010)."""
    as_large = int((np.abs(drawn) >= abs(observed) - 1e-12).sum())
    return (as_large + 1) / (len(drawn) + 1)
