import pytest

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.report import PagesReport
from ocr.reading.page_reader import PageReading
from ocr.report.gallery import Segment
from ocr.report.pages.gallery import build_page_gallery, choose_pages
from tests.ocr.evaluation.pages.scenes import (
    ScriptedReader,
    draw,
    evaluate_scripted,
    label_pages,
    read_receipt,
    reading,
    receipt,
    region,
)


def evaluate(regions: list[Region], found: PageReading) -> PagesReport:
    return evaluate_scripted(
        candidate=ScriptedReader("new", lambda number: found),
        opponent=None,
        samples=label_pages([regions]),
        resamples=10,
    )


def test_worst_pages_come_first() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("new", lambda number: read_receipt(number, wrong=number)),
        opponent=None,
        samples=label_pages([receipt(number) for number in range(4)]),
        resamples=10,
    )

    assert [page.image for page in choose_pages(report, most=2)] == ["3.jpg", "2.jpg"]


@pytest.mark.parametrize(
    ("regions", "found", "kind", "title"),
    [
        ([region(9, 9, "AB")], reading((9, 9, "ab")), "read", "“ab”, 0.90 sure"),
        (
            [region(9, 9, "AB")],
            reading((9, 9, "AX")),
            "misread",
            "read “AX”, should be “AB”, 0.90 sure",
        ),
        ([region(9, 9, "AB")], reading(), "missed", "missed: “AB”"),
        ([region(9, 9, "")], reading(), "missed", "missed, not transcribed"),
        ([], reading((9, 9, "X")), "invented", "nothing is labelled here: read “X”, 0.90 sure"),
        ([region(9, 9, "AB", ignored=True)], reading(), "uncounted", "not counted: “AB”"),
        (
            [region(9, 9, "")],
            reading((9, 9, "X")),
            "read",
            "found, not transcribed: read “X”, 0.90 sure",
        ),
    ],
)
def test_mark_says_what_became_of_a_box(
    regions: list[Region], found: PageReading, kind: str, title: str
) -> None:
    (sheet,) = build_page_gallery(evaluate(regions, found), {}, most=1)

    (mark,) = sheet.overlays[0].marks
    assert (mark.kind, mark.title) == (kind, title)
    assert mark.points == "9,9 49,9 49,19 9,19"


def test_box_in_an_ignored_region_is_marked_as_not_counted() -> None:
    regions = [region(9, 9, "AB", ignored=True)]

    (sheet,) = build_page_gallery(evaluate(regions, reading((9, 9, "X"))), {}, most=1)

    assert [mark.kind for mark in sheet.overlays[0].marks] == ["uncounted", "uncounted"]


def test_errors_are_listed_with_their_differences_case_aside() -> None:
    found = reading((10, 20, "item 7"), (10, 60, "TOTAL"), (10, 180, "THANKS"), (200, 300, "FOO"))
    report = evaluate(receipt(0), found)

    (sheet,) = build_page_gallery(report, {}, most=1)

    misread, other, *rest = sheet.overlays[0].errors
    assert misread.label == "ITEM 0"
    assert misread.read == [Segment("same", "item "), Segment("wrong", "7")]
    assert other.kind == "misread"
    assert [(row.kind, row.label) for row in rest] == [
        ("missed", "0.50"),
        ("missed", "CASH"),
        ("invented", ""),
    ]


def test_both_readers_are_laid_over_a_page() -> None:
    report = evaluate_scripted(
        candidate=ScriptedReader("new", read_receipt),
        opponent=ScriptedReader("old", lambda number: read_receipt(number, wrong=2)),
        samples=label_pages([receipt(0)]),
        resamples=10,
    )

    (sheet,) = build_page_gallery(report, {}, most=1)

    assert [(overlay.who, overlay.misread) for overlay in sheet.overlays] == [
        ("candidate", 0),
        ("opponent", 2),
    ]


def test_large_page_is_shrunk_and_its_boxes_keep_their_pixels() -> None:
    large = draw(0).repeat(9, axis=0).repeat(9, axis=1)
    report = evaluate_scripted(
        candidate=ScriptedReader("new", read_receipt),
        opponent=None,
        samples=[(label_pages([receipt(0)])[0][0], large)],
        resamples=10,
    )

    (sheet,) = build_page_gallery(report, {report.pages[0].id: large}, most=1)

    assert (sheet.width_px, sheet.height_px) == (675, 900)
    assert sheet.src.startswith("data:image/jpeg;base64,")
    assert len(sheet.src) < 100_000
    assert sheet.overlays[0].marks[0].points.startswith("10,20 ")


def test_page_without_its_image_is_still_shown() -> None:
    (sheet,) = build_page_gallery(evaluate(receipt(0), reading()), {}, most=1)

    assert sheet.src == ""
    assert len(sheet.overlays[0].errors) == 5
