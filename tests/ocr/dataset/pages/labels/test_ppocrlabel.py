import json

import pytest

from ocr.dataset.pages.labels import RawPage
from ocr.dataset.pages.labels.ppocrlabel import parse_ppocrlabel
from ocr.dataset.quarantine import Rejection

BOX = [[0, 1], [9, 1], [9, 5], [0, 5]]


def row(image: str, text: str, *, difficult: bool = False) -> str:
    entry = {"transcription": text, "points": BOX, "difficult": difficult}
    return f"{image}\t{json.dumps([entry], ensure_ascii=False)}\n"


def parse(content: str, *, states: str = "", folder: str = ".") -> list[RawPage | Rejection]:
    return list(
        parse_ppocrlabel(content, states=states, folder=folder, name="Label.txt", split=None)
    )


@pytest.mark.parametrize(("folder", "image"), [(".", "1.jpg"), ("scans/may", "scans/may/1.jpg")])
def test_image_lies_in_the_project_whatever_its_folder_was_called(folder: str, image: str) -> None:
    (page,) = parse(row("old name/1.jpg", "A"), folder=folder)

    assert not isinstance(page, Rejection)
    assert page.image == image


def test_difficult_boxes_are_kept_as_ignored() -> None:
    (page,) = parse(row("p/1.jpg", "A", difficult=True))

    assert not isinstance(page, Rejection)
    assert [(r.text, r.ignored) for r in page.label.regions] == [("A", True)]


@pytest.mark.parametrize("text", ["待识别", "TEMPORARY"])
def test_box_that_was_never_read_has_no_text(text: str) -> None:
    (page,) = parse(row("p/1.jpg", text))

    assert not isinstance(page, Rejection)
    assert [(r.text, r.ignored) for r in page.label.regions] == [("", False)]


@pytest.mark.parametrize(
    "states", ["p/1.jpg\t1\n", "/home/someone/p/1.jpg\t1\n", "C:\\scans\\p\\1.jpg\t1\n"]
)
def test_pages_nobody_confirmed_are_rejected(states: str) -> None:
    first, second = parse(row("p/1.jpg", "A") + row("p/2.jpg", "B"), states=states)

    assert not isinstance(first, Rejection)
    assert isinstance(second, Rejection)
    assert (second.reason, second.where) == ("unconfirmed_page", "Label.txt:2")


STATES = "p/1.jpg\t1\r\n\t1\r\np/2.jpg\t1\r\np/3.jpg\t1\r\n"


def test_confirmed_pages_that_were_not_written_are_told() -> None:
    content = row("p/1.jpg", "A") + "p/3.jpg\t{}\n"

    first, damaged, unwritten = parse(content, states=STATES, folder="may")

    assert not isinstance(first, Rejection)
    assert isinstance(damaged, Rejection)
    assert isinstance(unwritten, Rejection)
    assert (unwritten.reason, unwritten.where) == ("unconfirmed_page", "may/fileState.txt:3")
    assert unwritten.image == "may/2.jpg"
    assert "Label.txt has no box of it" in unwritten.detail


def test_a_part_of_a_project_says_nothing_of_the_pages_in_its_other_part() -> None:
    content = row("p/1.jpg", "A")

    (page,) = parse_ppocrlabel(
        content, states=STATES, folder="may", name="may/val.txt", split="val"
    )

    assert not isinstance(page, Rejection)


def test_empty_state_file_confirms_all() -> None:
    assert not isinstance(parse(row("p/1.jpg", "A"), states="\n")[0], Rejection)


def test_malformed_rows_pass_through() -> None:
    (found,) = parse("p/1.jpg\t{}\n", states="p/1.jpg\t1\n")

    assert isinstance(found, Rejection)
