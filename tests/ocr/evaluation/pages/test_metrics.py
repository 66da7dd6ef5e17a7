import pytest

from ocr.errors import BadData
from ocr.evaluation.pages.metrics import measure_pages
from tests.ocr.evaluation.pages.scenes import reading, region


def test_metrics_follow_from_counts_summed_over_pages() -> None:
    truths = [[region(0, 0, "AB"), region(0, 50, "CD"), region(0, 100, "EF")], [region(0, 0, "GH")]]
    readings = [reading((0, 0, "ab"), (0, 50, "CX")), reading((0, 0, "GH"), (0, 50, "?"))]

    metrics = measure_pages(readings, truths)

    assert metrics.pages == 2
    assert (metrics.precision, metrics.recall) == (3 / 4, 3 / 4)
    assert metrics.hmean == metrics.hmean_optimal == pytest.approx(3 / 4)
    assert (metrics.e2e_precision, metrics.e2e_recall, metrics.e2e_hmean) == (0.5, 0.5, 0.5)
    assert metrics.e2e_hmean_exact == 0.25
    assert metrics.e2e_ned == pytest.approx((1 + 0.5 + 1) / 5)


def test_harmonic_mean_is_that_of_precision_and_recall() -> None:
    metrics = measure_pages([reading((0, 0, "A"), (0, 50, "B"), (0, 90, "C"))], [[region(0, 0)]])

    precision, recall = metrics.e2e_precision, metrics.e2e_recall
    assert metrics.e2e_hmean == pytest.approx(2 * precision * recall / (precision + recall))


def test_missed_and_invented_lines_are_full_errors_of_1_ned() -> None:
    metrics = measure_pages([reading((0, 200, "A"))], [[region(0, 0, "A")]])

    assert (metrics.e2e_ned, metrics.e2e_hmean, metrics.hmean) == (0.0, 0.0, 0.0)


def test_empty_page_read_as_empty_measures_nothing() -> None:
    metrics = measure_pages([reading()], [[]])

    assert (metrics.pages, metrics.hmean, metrics.e2e_ned) == (1, 0.0, 0.0)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(BadData, match="2 readings of 1 pages"):
        measure_pages([reading(), reading()], [[]])


def test_no_pages_are_refused() -> None:
    with pytest.raises(BadData, match="test split is empty"):
        measure_pages([], [])
