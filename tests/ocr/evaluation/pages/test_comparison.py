"""Bounds and tests of a change by page, on readings whose true change is known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Codes, Resampling
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.pages.comparison import (
    compare_pages,
    compare_pages_with_number,
    p_value_by_sign,
)
from ocr.evaluation.ratio import Ratio, Values

PAGES, LINES = 60, 50
TRIALS = 300

Right = NDArray[np.bool_]


def read(rng: np.random.Generator, *, share: float, pages: int = PAGES) -> Right:
    """Draw which lines (pages, LINES) are right; pages differ in difficulty."""
    difficulty = rng.beta(8, 8 * (1 - share) / share, size=(pages, 1))
    return rng.random((pages, LINES)) < difficulty


def compare(ours: Right, theirs: Right, *, codes: Codes | None = None) -> Comparison:
    return compare_pages(
        hmean_of(ours),
        hmean_of(theirs),
        Resampling(np.arange(len(ours)) if codes is None else codes, resamples=500, seed=0),
        lines=(flat(ours), flat(theirs)),
    )


def flat(right: Right) -> Values:
    return right.ravel().astype(float)


def hmean_of(right: Right) -> Ratio:
    return Ratio(2.0 * right.sum(axis=1), np.full(len(right), 2.0 * LINES))


def test_change_is_that_of_the_sums_and_lines_are_gained_and_lost() -> None:
    ours, theirs = np.zeros((3, LINES), dtype=bool), np.zeros((3, LINES), dtype=bool)
    ours[:2] = True
    theirs[2, :5] = True

    comparison = compare(ours, theirs)

    assert comparison.change == pytest.approx((100 - 5) / 150)
    assert (comparison.gained, comparison.lost) == (100, 5)
    assert (comparison.kind, comparison.n, comparison.groups) == ("paired", 3, 3)


def test_denominators_differ_where_boxes_are_invented() -> None:
    right = np.ones((5, LINES), dtype=bool)
    inventive = Ratio(np.full(5, 2.0 * LINES), np.full(5, 3.0 * LINES))

    comparison = compare_pages(
        hmean_of(right),
        inventive,
        Resampling(np.arange(5), resamples=200, seed=0),
        lines=(flat(right), flat(right)),
    )

    assert comparison.change == pytest.approx(1 / 3)
    assert comparison.lower > 0.3


def test_bounds_of_equal_readings_still_leave_room() -> None:
    right = np.ones((PAGES, LINES), dtype=bool)

    comparison = compare(right, right)

    assert comparison.lower < 0 < comparison.upper
    assert comparison.p_value == 1.0


def test_same_seed_gives_the_same_answer() -> None:
    rng = np.random.default_rng(1)
    ours, theirs = read(rng, share=0.8), read(rng, share=0.7)

    assert compare(ours, theirs) == compare(ours, theirs)


def test_true_change_lies_within_the_bounds_in_about_nine_of_ten_tests() -> None:
    rng = np.random.default_rng(2)

    covered = 0
    for _ in range(TRIALS):
        comparison = compare(read(rng, share=0.85), read(rng, share=0.8))
        covered += comparison.lower <= 0.05 <= comparison.upper

    assert 0.86 <= covered / TRIALS <= 0.97


@pytest.mark.parametrize("pages", [10, PAGES])
def test_equal_readers_differ_significantly_in_at_most_about_5_percent(pages: int) -> None:
    rng = np.random.default_rng(3)

    p_values = [
        compare(read(rng, share=0.8, pages=pages), read(rng, share=0.8, pages=pages)).p_value
        for _ in range(TRIALS)
    ]

    assert np.mean(np.array(p_values) < 0.05) <= 0.075


def test_clear_change_is_significant() -> None:
    rng = np.random.default_rng(4)

    comparison = compare(read(rng, share=0.9), read(rng, share=0.7))

    assert comparison.p_value == 1 / 501  # of 500 exchanges none gives it, and it is seen itself
    assert comparison.lower > 0


def test_pages_of_one_document_count_as_one() -> None:
    rng = np.random.default_rng(5)
    ours, theirs = read(rng, share=0.9), read(rng, share=0.7)

    comparison = compare(ours, theirs, codes=np.repeat(np.arange(3), PAGES // 3))

    assert comparison.groups == 3
    assert comparison.p_value > 0.05


@pytest.mark.parametrize(("documents", "is_bounded"), [(1, False), (4, False), (5, True)])
def test_few_documents_bound_nothing(documents: int, is_bounded: bool) -> None:
    right = np.ones((10, LINES), dtype=bool)

    comparison = compare(right, ~right, codes=np.arange(10) % documents)

    assert (comparison.lower > -1.0) == is_bounded


@pytest.mark.parametrize(("required", "better"), [(0.5, True), (0.99, False)])
def test_number_is_compared_with_one_sample(required: float, better: bool) -> None:
    right = read(np.random.default_rng(6), share=0.8)

    comparison = compare_pages_with_number(
        hmean_of(right), required, Resampling(np.arange(PAGES), resamples=500, seed=0)
    )

    assert comparison.kind == "number"
    assert comparison.change == pytest.approx(right.mean() - required)
    assert (comparison.lower > 0) == better
    assert (comparison.upper < 0) != better
    assert comparison.p_value < 0.01


@pytest.mark.parametrize(
    ("changes", "significant"),
    [(np.ones(12), True), (np.ones(4), False), (np.resize([1.0, -1.0], 12), False)],
)
def test_sign_test_needs_groups_that_agree(changes: Values, significant: bool) -> None:
    p_value = p_value_by_sign(changes, Resampling(np.arange(len(changes)), 2000, seed=0))

    assert (p_value < 0.05) == significant
