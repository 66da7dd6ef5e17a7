"""Candidate against opponent on the same lines."""

from dataclasses import replace

from scipy.special import bdtr, bdtrc

from ocr.evaluation.bootstrap import Resampling, estimate
from ocr.evaluation.comparison import (
    TWO_SIDED,
    Comparison,
    compare_with_number,
    p_value_by_group,
    paired_wald,
)
from ocr.evaluation.ratio import Values, mean_of


def compare_lines(candidate: Values, opponent: Values, draws: Resampling) -> Comparison:
    """Compare two readings of the same lines.

    The p-value is the larger one of the exact McNemar test and of a t test on documents.

    Args:
        candidate: 1.0 where the candidate read the line exactly, else 0.0; (N,).
        opponent: The same of the opponent.
        draws: How lines are drawn anew.
    """
    n = len(candidate)
    gained, lost = int((candidate > opponent).sum()), int((candidate < opponent).sum())
    change = mean_of(candidate - opponent)
    by_group = estimate(change, draws, confidence=TWO_SIDED)
    bounds = by_group.widened(paired_wald(gained=gained, lost=lost, n=n))
    by_document = p_value_by_group(change, codes=draws.codes)
    return Comparison(
        kind="paired",
        n=n,
        groups=draws.groups,
        candidate=float(candidate.mean()),
        opponent=float(opponent.mean()),
        change=change.value,
        lower=max(-1.0, bounds.lower),
        upper=min(1.0, bounds.upper),
        gained=gained,
        lost=lost,
        p_value=max(mcnemar(gained=gained, lost=lost), by_document),
    )


def compare_lines_with_number(candidate: Values, required: float, draws: Resampling) -> Comparison:
    """Compare a reading with a required accuracy, taken as exact.

    The p-value is the larger one of the exact binomial test and of a t test on documents.
    """
    n = len(candidate)
    change = compare_with_number(mean_of(candidate), required, trials=n, draws=draws)
    by_line = _two_sided(int(candidate.sum()), n, required)
    return replace(change, p_value=max(change.p_value, by_line))


def mcnemar(*, gained: int, lost: int) -> float:
    """Return the two-sided exact p-value that gains and losses are equally likely.

    McNemar, "Note on the sampling error of the difference between correlated proportions", 1947.
    """
    return _two_sided(gained, gained + lost, 0.5)


def _two_sided(successes: int, n: int, share: float) -> float:
    below, above = bdtr(successes, n, share), bdtrc(successes - 1, n, share)
    return min(1.0, 2.0 * float(min(below, above)))
