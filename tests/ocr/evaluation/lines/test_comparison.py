import numpy as np
import pytest
from scipy.stats import binomtest

from ocr.evaluation.bootstrap import Resampling
from ocr.evaluation.lines.comparison import compare_lines, compare_lines_with_number, mcnemar


def readings(right: int, wrong: int) -> np.ndarray:
    return np.concatenate([np.ones(right), np.zeros(wrong)])


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (5, 5), (3, 12), (30, 9), (1, 0)])
def test_mcnemar_is_the_exact_binomial_test(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0

    assert mcnemar(gained=gained, lost=lost) == pytest.approx(expected)


def test_change_lies_between_its_bounds() -> None:
    candidate, opponent = readings(90, 10), readings(80, 20)

    change = compare_lines(candidate, opponent, Resampling(np.arange(100), resamples=2000, seed=0))

    assert change.change == pytest.approx(0.10)
    assert (change.gained, change.lost) == (10, 0)
    assert 0 < change.lower < 0.10 < change.upper
    assert change.p_value < 0.01


def test_no_difference_still_leaves_room_for_chance() -> None:
    same = readings(90, 10)

    few = compare_lines(same[-20:], same[-20:], Resampling(np.arange(20), resamples=200, seed=0))
    many = compare_lines(same, same, Resampling(np.arange(100), resamples=200, seed=0))

    assert few.lower < many.lower < 0 < many.upper < few.upper
    assert many.p_value == 1.0


def test_change_within_few_documents_is_no_proof() -> None:
    candidate, opponent = readings(100, 0), readings(80, 20)

    change = compare_lines(
        candidate, opponent, Resampling(np.arange(100) // 25, resamples=2000, seed=0)
    )

    assert mcnemar(gained=20, lost=0) < 1e-5
    assert change.p_value > 0.05
    assert change.lower <= 0


def test_number_is_compared_with_one_sample() -> None:
    change = compare_lines_with_number(
        readings(90, 10), 0.8, Resampling(np.arange(100), resamples=2000, seed=0)
    )

    assert change.kind == "number"
    assert change.change == pytest.approx(0.1)
    assert 0.02 < change.lower < 0.1 < change.upper < 0.17


def test_reading_everything_is_not_taken_for_certain() -> None:
    change = compare_lines_with_number(
        readings(20, 0), 0.99, Resampling(np.arange(20), resamples=200, seed=0)
    )

    assert change.lower < -0.05
