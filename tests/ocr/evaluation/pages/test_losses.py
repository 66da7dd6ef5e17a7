import cmath
import math
from collections.abc import Callable, Sequence

import pytest

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.losses import CAUSES, Cause, Loss, count_losses, find_losses
from ocr.evaluation.pages.report import EvaluatedPage
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading
from tests.ocr.evaluation.pages.scenes import (
    Polygon,
    ScriptedReader,
    box,
    evaluate_scripted,
    label_pages,
    read_receipt,
    reading,
    receipt,
    region,
)


def evaluated(regions: Sequence[Region], *lines: PageLine) -> EvaluatedPage:
    reader = ScriptedReader("us", lambda _: PageReading(lines=lines, rotation=0, timings={}))
    (page,) = evaluate_scripted(candidate=reader, samples=label_pages([regions])).pages
    return page


def line(x: float, y: float, text: str, *, width: float = 40.0, height: float = 10.0) -> PageLine:
    return PageLine(polygon=box(x, y, width, height), text=text, confidence=0.9)


def losses(page: EvaluatedPage) -> list[Loss]:
    return list(find_losses(page, page.candidate))


def test_page_that_is_read_loses_nothing() -> None:
    assert losses(evaluated([region(0, 0, "Total 5")], line(0, 0, "TOTAL5"))) == []


@pytest.mark.parametrize(
    ("read", "cause"), [("TOTAL 6", "one character"), ("TOTAL", "one character"), ("T0T", "text")]
)
def test_line_in_its_place_is_misread_by_one_character_or_more(read: str, cause: Cause) -> None:
    assert losses(evaluated([region(0, 0, "TOTAL5")], line(0, 0, read))) == [
        Loss(cause, (0,), (0,))
    ]


def test_what_is_not_found_and_what_is_not_labelled() -> None:
    page = evaluated([region(0, 0, "A")], line(0, 90, "B"))

    assert losses(page) == [Loss("missed", (0,), ()), Loss("invented", (), (0,))]


@pytest.mark.parametrize(("read", "cause"), [("9.90 SR", "ends"), ("9.80 SR", "ends and text")])
def test_two_labelled_lines_in_one_box(read: str, cause: Cause) -> None:
    regions = [region(60, 0, "SR"), region(0, 0, "9.90", width=55)]

    assert losses(evaluated(regions, line(0, 0, read, width=100))) == [Loss(cause, (0, 1), (0,))]


def test_one_labelled_line_in_two_boxes() -> None:
    page = evaluated(
        [region(0, 0, "TEL: 03-55", width=100)],
        line(50, 0, "03-55", width=50),
        line(0, 0, "Tel:", width=45),
    )

    assert losses(page) == [Loss("ends", (0,), (0, 1))]


def test_two_rows_in_one_box_are_joined_as_they_are_read() -> None:
    page = evaluated([region(0, 12, "WORLD"), region(0, 0, "HELLO")], line(0, 0, "", height=22))

    assert [loss.cause for loss in losses(page)] == ["ends and text"]
    page = evaluated(
        [region(0, 12, "WORLD"), region(0, 0, "HELLO")], line(0, 0, "HELLO WORLD", height=22)
    )
    assert [loss.cause for loss in losses(page)] == ["ends"]


def test_text_in_a_box_that_is_too_long_has_other_ends() -> None:
    page = evaluated([region(0, 0, "A", width=40)], line(0, 0, "A", width=100))

    assert losses(page) == [Loss("ends", (0,), (0,))]


def test_box_that_touches_a_line_that_was_read_is_invented() -> None:
    page = evaluated([region(0, 0, "A")], line(0, 0, "A"), line(0, 2, "A"))

    assert losses(page) == [Loss("invented", (), (1,))]


def test_lines_that_only_touch_are_not_of_one_place() -> None:
    page = evaluated([region(0, 0, "A")], line(0, 7, "B"))

    assert [loss.cause for loss in losses(page)] == ["missed", "invented"]


@pytest.mark.parametrize("degrees", [-15, -6, -3, 3, 6, 15])
def test_rows_of_a_tilted_page_are_joined_as_they_are_read(degrees: float) -> None:
    def turned(polygon: Polygon) -> Polygon:
        turn = cmath.rect(1, math.radians(degrees))
        points = [complex(x, y) * turn + 300 for x, y in polygon]
        return tuple((point.real, point.imag) for point in points)

    regions = [Region(turned(box(60 * at, 0)), text) for at, text in enumerate("ABC")]
    joined = PageLine(turned(box(0, 0, 160)), "ABC", 0.9)

    assert [loss.cause for loss in losses(evaluated(regions, joined))] == ["ends"]


def test_what_lies_in_something_larger_is_not_of_one_line_with_it() -> None:
    stamp = Region(box(0, 0, 200, 300), "PAID")
    page = evaluated(
        [region(20, 20, "ONE"), region(20, 60, "TWO"), stamp],
        line(20, 20, "0NE"),
        line(20, 60, "TW0"),
        line(30, 63, "X", width=2, height=2),
    )

    causes = {loss.cause: len(loss.regions) + len(loss.lines) for loss in losses(page)}
    assert causes == {"one character": 2, "missed": 1, "invented": 1}


def test_regions_that_nobody_transcribed_and_ignored_ones_are_none() -> None:
    page = evaluated(
        [region(0, 0, ""), region(0, 50, "A", ignored=True), region(0, 100, "")],
        line(0, 0, "X"),
        line(0, 50, "Y"),
    )

    assert losses(page) == []


def test_losses_are_what_keeps_hmean_from_one() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader(
            "us", lambda number: read_receipt(number, wrong=number, missed=1, invented=2)
        ),
        samples=label_pages([receipt(number) for number in range(4)]),
    )
    counts = [page.candidate.counts for page in report.pages]

    found = count_losses((page, page.candidate) for page in report.pages)

    assert [each.cause for each in found] == list(CAUSES)
    assert sum(each.regions for each in found) == sum(each.texts - each.read for each in counts)
    assert sum(each.lines for each in found) == sum(each.readings - each.read for each in counts)


def test_reader_that_does_well_and_page_without_text_lose_nothing() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("us", lambda _: reading()), samples=label_pages([[]])
    )

    found = count_losses((page, page.candidate) for page in report.pages)

    assert not any(each.regions or each.lines for each in found)


@pytest.mark.parametrize(
    ("cause", "better"),
    [
        ("one character", lambda number: read_receipt(number, missed=1, invented=number)),
        ("missed", lambda number: read_receipt(number, wrong=2, invented=number)),
        ("invented", lambda number: read_receipt(number, wrong=2, missed=1)),
        ("text", lambda number: read_receipt(number, wrong=2, missed=1, invented=number)),
    ],
)
def test_hmean_without_a_cause_is_that_of_who_reads_what_it_costs(
    cause: Cause, better: Callable[[int], PageReading]
) -> None:
    pages = label_pages([receipt(number) for number in range(4)])
    ours = evaluate_scripted(
        candidate=ScriptedReader(
            "us", lambda number: read_receipt(number, wrong=2, missed=1, invented=number)
        ),
        samples=pages,
    )
    theirs = evaluate_scripted(candidate=ScriptedReader("they", better), samples=pages)

    found = {each.cause: each for each in count_losses((p, p.candidate) for p in ours.pages)}

    hmean = theirs.candidate.metrics.e2e_hmean
    assert found[cause].hmean_without == pytest.approx(hmean)
