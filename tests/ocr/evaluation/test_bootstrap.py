import numpy as np
import pytest
from scipy.stats import norm, t

from ocr.evaluation.bootstrap import (
    FEWEST_GROUPS,
    Resampling,
    bootstrap,
    estimate,
    group_codes,
    widened,
    wilson,
)
from ocr.evaluation.ratio import Ratio, mean_of


def shares(values: list[float]) -> Ratio:
    return mean_of(np.array(values))


def test_samples_without_a_group_are_groups_of_their_own() -> None:
    assert group_codes(["a", "", "a", "", "b"]).tolist() == [0, 1, 0, 2, 3]


def test_same_seed_gives_the_same_interval() -> None:
    ratio, codes = shares([1.0, 0.0] * 50), np.arange(100)

    first = estimate(ratio, Resampling(codes, resamples=500, seed=3))
    again = estimate(ratio, Resampling(codes, resamples=500, seed=3))
    other = estimate(ratio, Resampling(codes, resamples=500, seed=4))

    assert first == again
    assert first.lower < 0.5 < first.upper
    assert first != other


def test_resamples_spread_like_the_standard_error() -> None:
    ratio = shares([1.0] * 300 + [0.0] * 100)

    draws = bootstrap(ratio, Resampling(np.arange(400), resamples=20_000, seed=0))

    assert draws.mean() == pytest.approx(0.75, abs=1e-3)
    assert draws.std() == pytest.approx(np.sqrt(0.75 * 0.25 / 400), rel=0.03)


def test_dependent_lines_widen_the_interval() -> None:
    ratio = shares([1.0] * 300 + [0.0] * 100)

    lines = estimate(ratio, Resampling(np.arange(400), resamples=2000, seed=0))
    documents = estimate(ratio, Resampling(np.arange(400) // 10, resamples=2000, seed=0))

    assert documents.upper - documents.lower > 2.5 * (lines.upper - lines.lower)


@pytest.mark.parametrize("groups", [5, 20])
def test_resamples_of_few_groups_give_the_interval_of_the_t_distribution(groups: int) -> None:
    shares_drawn = (np.arange(100_000) + 0.5) / 100_000
    error = np.sqrt((groups - 1) / groups) / np.sqrt(groups)  # the bootstrap's, of a spread of 1

    found = widened(norm.ppf(shares_drawn) * error, value=0.0, groups=groups, confidence=0.95)

    half = t.ppf(0.975, groups - 1) / np.sqrt(groups)
    assert (found.lower, found.upper) == pytest.approx((-half, half), rel=1e-3)


def test_resamples_of_which_nothing_could_be_measured_are_nought() -> None:
    one_of_two = Ratio(np.array([1.0, 0.0]), np.array([1.0, 0.0]))

    draws = bootstrap(one_of_two, Resampling(np.arange(2), resamples=100, seed=0))

    assert set(draws.tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("documents", [5, 10, 40])
def test_interval_covers_the_truth_also_with_few_documents(documents: int) -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(documents), 8)

    covered = 0
    for _ in range(300):
        levels = rng.normal(0.5, 0.2, size=documents)[codes]
        ratio = shares(list(levels + rng.normal(0, 0.1, size=len(codes))))
        interval = estimate(ratio, Resampling(codes, resamples=400, seed=0))
        covered += interval.lower <= 0.5 <= interval.upper

    assert covered / 300 >= 0.91


@pytest.mark.parametrize("documents", [1, 2, 3, FEWEST_GROUPS - 1])
def test_few_documents_bound_nothing(documents: int) -> None:
    codes = np.arange(20) % documents

    interval = estimate(shares([1.0, 0.0] * 10), Resampling(codes, resamples=200, seed=0))

    assert (interval.lower, interval.upper) == (-np.inf, np.inf)


@pytest.mark.parametrize(("successes", "n"), [(0, 20), (20, 20), (10, 20)])
def test_wilson_never_leaves_the_unit_interval_nor_collapses(successes: int, n: int) -> None:
    share = wilson(successes, n)

    assert 0 <= share.lower <= share.value <= share.upper <= 1
    assert share.upper - share.lower > 0.1
