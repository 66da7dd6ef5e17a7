import pytest

from ocr.evaluation.pages.detection import measure_detection
from tests.ocr.evaluation.pages.scenes import box, region


def test_counts_are_summed_over_pages_before_they_are_divided() -> None:
    one = ([region(0, 0), region(0, 50)], [box(0, 0)])
    other = ([region(0, 0)], [box(0, 0), box(0, 50), box(0, 100)])

    report = measure_detection([one, other])

    assert report.precision == pytest.approx(2 / 4)
    assert report.recall == pytest.approx(2 / 3)
    assert report.hmean == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))


def test_optimal_matching_and_skips_stand_beside_the_score() -> None:
    regions = [region(0, 0, width=40), region(0, 0, width=60)]
    invalid = ((0.0, 0.0), (40.0, 10.0), (40.0, 0.0), (0.0, 10.0))

    report = measure_detection([(regions, [box(0, 0, 45), box(0, 0, 25), invalid])])

    assert (report.hmean, report.hmean_optimal, report.skipped) == (0.5, 1.0, 1)


def test_no_pages_score_nothing() -> None:
    assert measure_detection([]).hmean == 0.0
