from collections.abc import Callable
from dataclasses import replace

import pytest

from ocr.dataset.pages.region import Region
from ocr.errors import BadData
from ocr.evaluation.bootstrap import wilson
from ocr.evaluation.pages.evaluate import pair_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.reading.page_reader import PageReading
from tests.ocr.evaluation.pages.scenes import (
    ScriptedReader,
    evaluate_scripted,
    label_pages,
    read_receipt,
    reading,
    receipt,
    region,
)

PAGES = 12
LINES = 5 * PAGES


def evaluate(
    ours: Callable[[int], PageReading] = lambda number: read_receipt(number, wrong=number % 2),
    theirs: Callable[[int], PageReading] | None = lambda number: read_receipt(number, wrong=3),
    *,
    required_hmean: float | None = None,
    groups: tuple[str, ...] = (),
) -> PagesReport:
    return evaluate_scripted(
        candidate=ScriptedReader("receipts:new", ours),
        opponent=ScriptedReader("receipts:old", theirs) if theirs else None,
        samples=label_pages([receipt(number) for number in range(PAGES)], groups=groups),
        required_hmean=required_hmean,
        resamples=200,
    )


def test_both_readers_are_measured_on_the_same_pages() -> None:
    report = evaluate()

    assert report.candidate.metrics.e2e_hmean == pytest.approx(0.9)
    assert report.opponent
    assert report.opponent.metrics.e2e_hmean == pytest.approx(0.4)
    assert report.opponent.metrics.hmean == 1.0
    assert report.comparison
    assert report.comparison.change == pytest.approx(0.5)
    assert report.comparison.n == report.comparison.groups == PAGES
    assert (report.comparison.gained, report.comparison.lost) == (30, 0)
    assert [len(page.read(page.opponent)) for page in report.pages if page.opponent] == [2] * PAGES


def test_detection_is_compared_beside_reading() -> None:
    report = evaluate(lambda number: read_receipt(number, missed=1))

    assert report.detection
    assert report.detection.change == pytest.approx(8 / 9 - 1)
    assert (report.detection.gained, report.detection.lost) == (0, PAGES)


def test_intervals_enclose_their_values_and_stay_possible() -> None:
    report = evaluate()

    for interval in report.candidate.intervals.values():
        assert 0 <= interval.lower <= interval.value <= interval.upper <= 1
    hmean = report.candidate.intervals["e2e_hmean"]
    assert hmean.lower < hmean.upper


def test_intervals_of_pages_that_are_all_alike_are_those_of_their_lines() -> None:
    report = evaluate(read_receipt)

    for name in ("e2e_recall", "e2e_hmean"):  # an Hmean counts each of the lines twice
        interval = report.candidate.intervals[name]
        assert (interval.lower, interval.upper) == (wilson(LINES, LINES).lower, 1.0)


def test_pages_of_one_document_are_one_group() -> None:
    report = evaluate(groups=("a", "b", "c") * (PAGES // 3))

    assert report.comparison
    assert report.comparison.groups == 3


def test_number_stands_in_for_an_opponent() -> None:
    report = evaluate(theirs=None, required_hmean=0.5)

    assert report.comparison
    assert (report.comparison.kind, report.comparison.opponent) == ("number", 0.5)
    assert report.opponent is None
    assert report.detection is None


def test_nothing_to_compare_with_is_no_comparison() -> None:
    assert evaluate(theirs=None).comparison is None


def test_report_survives_json() -> None:
    report = evaluate()

    assert PagesReport.from_json(report.to_json()) == report


def test_page_says_what_is_paired_missed_and_invented() -> None:
    report = evaluate(lambda number: read_receipt(number, wrong=1, missed=2, invented=1))

    page = report.pages[3]
    assert page.candidate.pairs == [(0, 0), (1, 1), (2, 2)]
    assert (page.candidate.missed, page.candidate.invented) == ([3, 4], [3])
    assert page.read(page.candidate) == {1, 2}
    assert next(page.compared(page.candidate)) == ("ITEM 3?", "ITEM 3")
    assert (page.width_px, page.height_px) == (300, 400)


def test_confusions_are_those_of_found_lines() -> None:
    (confusion,) = evaluate(
        lambda number: read_receipt(number, wrong=2, missed=1)
    ).candidate.confusions

    assert (confusion.expected, confusion.read, confusion.count) == ("", "?", 2 * PAGES)


def test_slices_count_the_lines_that_are_read() -> None:
    report = evaluate(lambda number: read_receipt(number, missed=3), lambda n: read_receipt(n))

    slices = {part.title: part for part in report.slices}
    assert slices["content: digits and signs only"].n == PAGES
    assert slices["content: digits and signs only"].accuracy.value == 0.0
    assert slices["content: digits and signs only"].opponent_accuracy == 1.0
    assert slices["content: digits and signs only"].lost == PAGES
    assert slices["content: digits and signs only"].p_value < 0.05
    assert slices["length: 17–32 characters"].lost == PAGES


def test_slices_without_opponent_have_no_change() -> None:
    report = evaluate(theirs=None)

    assert report.slices
    assert all(part.opponent_accuracy is None and part.p_value == 1.0 for part in report.slices)


@pytest.mark.parametrize(
    "regions", [[], [region(0, 0, ignored=True)], [region(0, 0, "")], [region(0, 0)]]
)
def test_odd_pages_are_measured_too(regions: list[Region]) -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("a", lambda number: reading((0, 0, "A"))),
        opponent=ScriptedReader("b", lambda number: reading()),
        samples=label_pages([regions]),
        resamples=10,
    )

    assert PagesReport.from_json(report.to_json()) == report


def test_two_are_compared_by_the_draws_of_the_first() -> None:
    ours = evaluate(theirs=None)
    theirs = evaluate(lambda n: read_receipt(n, wrong=n % 4, invented=n % 5), theirs=None)

    bounds = {
        pair_pages(replace(ours, **draws), theirs).comparison.lower  # type: ignore[arg-type,union-attr]
        for draws in ({}, {"seed": 7}, {"resamples": 20})
    }

    assert len(bounds) == 3


def test_other_pages_are_beside_nothing() -> None:
    ours = evaluate(theirs=None)

    with pytest.raises(BadData, match="candidate and opponent read different samples"):
        pair_pages(ours, replace(ours, pages=ours.pages[:-1]))


def test_no_pages_are_refused() -> None:
    with pytest.raises(BadData, match="test split is empty"):
        evaluate_scripted(candidate=ScriptedReader("a", read_receipt), opponent=None, samples=[])


def test_of_nothing_to_read_nothing_is_known() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("receipts:new", lambda _: reading()),
        samples=label_pages([[] for _ in range(PAGES)]),
    )

    found = report.candidate.intervals["e2e_hmean"]
    assert (found.lower, found.upper) == (0.0, 1.0)
