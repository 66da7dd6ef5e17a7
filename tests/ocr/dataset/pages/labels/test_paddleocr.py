import io
import json
from typing import Any

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels import RawPage, RawPageLabel, RawRegion
from ocr.dataset.pages.labels.paddleocr import parse_paddleocr_pages
from ocr.dataset.quarantine import Fault, Reason, Rejection

BOX = [[0, 1], [9, 1], [9, 5], [0, 5]]
POINTS = ((0, 1), (9, 1), (9, 5), (0, 5))


def parse(content: str) -> list[RawPage | Rejection]:
    lines = io.StringIO(content, newline="\n")
    return list(parse_paddleocr_pages(lines, name="det.txt", split="val"))


def read(entry: Any) -> RawRegion:
    (page,) = parse(f"a.jpg\t{json.dumps([entry])}\n")
    assert not isinstance(page, Rejection)
    (region,) = page.label.regions
    return region


def test_page_knows_its_file_line_and_split() -> None:
    (page,) = parse(f'\n\r\na.jpg\t[{{"transcription": " A 1 ", "points": {BOX}}}]\r\n')

    label = RawPageLabel((RawRegion(POINTS, "A 1"),), size=None)
    assert page == Row("a.jpg", label, "val", "", "det.txt", "det.txt:3")


def test_page_without_text_has_no_regions() -> None:
    assert parse("a.jpg\t[]") == [Row("a.jpg", RawPageLabel(()), "val", "", "det.txt", "det.txt:1")]


@pytest.mark.parametrize("text", ["*", "###", " ### "])
def test_dont_care_texts_are_ignored_and_their_text_is_none(text: str) -> None:
    assert read({"transcription": text, "points": BOX}) == RawRegion(POINTS, "", ignored=True)


def test_three_stars_are_a_text() -> None:
    assert read({"transcription": "***", "points": BOX}) == RawRegion(POINTS, "***")


def test_difficult_regions_are_ignored_and_keep_their_text() -> None:
    entry = {"transcription": "A", "points": BOX, "difficult": True}

    assert read(entry) == RawRegion(POINTS, "A", ignored=True)


@pytest.mark.parametrize(("written", "text"), [(98, "98"), (0, "0"), (-5, "-5")])
def test_whole_number_is_its_digits(written: int, text: str) -> None:
    assert read({"transcription": written, "points": BOX}) == RawRegion(POINTS, text)


@pytest.mark.parametrize("written", [9.5, 98.0, True, ["A"], {"text": "A"}])
def test_text_of_another_type_is_malformed_and_shown_and_the_place_stays(written: object) -> None:
    region = read({"transcription": written, "points": BOX})

    assert (region.points, region.text, region.ignored) == (POINTS, "", False)
    assert region.text_fault == Fault(
        "malformed_region", f"the text is {written!r}, expected a string"
    )


@pytest.mark.parametrize("text", ["待识别", "TEMPORARY", " TEMPORARY "])
def test_placeholder_of_ppocrlabel_is_no_text_and_is_named(text: str) -> None:
    region = read({"transcription": text, "points": BOX})

    assert (region.points, region.text, region.ignored) == (POINTS, "", False)
    assert region.text_fault is not None
    assert region.text_fault.reason == "missing_text"
    assert repr(text.strip()) in region.text_fault.detail


@pytest.mark.parametrize("text", ["Temporary", "TEMPORARY EXIT"])
def test_only_the_placeholder_itself_is_no_text(text: str) -> None:
    assert read({"transcription": text, "points": BOX}) == RawRegion(POINTS, text)


@pytest.mark.parametrize("entry", [{"points": BOX}, {"transcription": None, "points": BOX}])
def test_missing_transcription_is_no_text(entry: object) -> None:
    assert read(entry) == RawRegion(POINTS, "")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("text", "malformed_region"),
        ({"transcription": "A"}, "malformed_region"),
        ({"transcription": "A", "points": "0,0"}, "malformed_region"),
        ({"transcription": "A", "points": []}, "empty_polygon"),
        ({"transcription": "A", "points": [[0, 1], [2]]}, "malformed_region"),
        ({"transcription": "A", "points": [[0, 1], [2, "3"]]}, "malformed_region"),
        ({"transcription": "A", "points": [[0, 1], [True, 3]]}, "malformed_region"),
        ({"transcription": "A", "points": [[0, 1], [2, float("nan")]]}, "malformed_region"),
        ({"transcription": "A", "points": [[0, 1], [2, 10**400]]}, "malformed_region"),
    ],
)
def test_region_of_another_form_says_what_is_wrong(entry: object, reason: Reason) -> None:
    region = read(entry)

    assert region.points == ()
    assert region.fault is not None
    assert region.fault.reason == reason
    assert len(region.fault.detail) < 150


@pytest.mark.parametrize("row", ["a.jpg", "a.jpg []", "\t[]", "a.jpg\t", "a.jpg\t[{]", "a.jpg\t{}"])
def test_row_of_another_form_is_rejected_and_the_next_read(row: str) -> None:
    first, second = parse(f"{row}\nb.jpg\t[]\n")

    assert isinstance(first, Rejection)
    assert (first.reason, first.where) == ("malformed_row", "det.txt:1")
    assert not isinstance(second, Rejection)
