"""Which labelled rows are new: by path and label, in whatever file and order they stand."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.candidate import UNCHECKED, Row
from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.row_list import (
    RowList,
    keep_rows,
    left_new,
    list_rows,
    newest_snapshot,
    read_rows_of,
)
from ocr.store import Store


def lines(*labelled: str) -> RowList:
    """List rows that are written as IMAGE=TEXT."""
    pairs = (each.split("=") for each in labelled)
    return list_rows(Row(image, LineLabel(text), None, "", "", "") for image, text in pairs)


BEFORE = ("a=1", "b=2", "c=3")
SOURCES = ("labels.txt", f"read.txt{UNCHECKED}")


@pytest.mark.parametrize(
    ("now", "new"),
    [
        (BEFORE, 0),
        (reversed(BEFORE), 0),
        (("a=1",), 0),
        ((*BEFORE, "d=4"), 1),
        ((*BEFORE, "d=4", "d=4"), 1),
        (("a=1", "b=7", "c=3"), 1),
        (("a=2", "b=1", "c=3"), 2),
        ((), 0),
    ],
    ids=["same", "other order", "fewer", "one more", "twice", "corrected", "swapped", "none"],
)
def test_a_new_image_and_a_corrected_label_are_new_and_nothing_else(
    now: Iterable[str], new: int
) -> None:
    assert len(left_new(lines(*now), lines(*BEFORE))) == new


def test_what_nobody_checked_is_no_new_row() -> None:
    label = LineLabel("1")
    rows = [Row(f"{at}.png", label, None, "", source, "") for at, source in enumerate(SOURCES)]

    assert len(list_rows(rows)) == 1


def test_rows_are_new_to_several_lists_if_they_are_in_none() -> None:
    rows = lines("a=1", "b=2", "c=3", "d=4")

    assert len(left_new(rows, lines("a=1"), lines("b=2", "x=9"))) == 2
    assert len(left_new(rows)) == 4


def test_a_moved_line_of_a_label_file_is_not_new_a_reviewed_one_in_another_file_is(
    tmp_path: Path,
) -> None:
    (tmp_path / "train.txt").write_text("a.png\t1\nb.png\t2\nbroken\n")
    (tmp_path / "reviewed.txt").write_text("c.png\t3\n")
    plain = LineLabelFiles(kind="paddleocr", root=tmp_path, train="train.txt")
    before = list_rows(plain.read())
    (tmp_path / "train.txt").write_text("\n\nb.png\t2\na.png\t1\nbroken\nagain broken\n")

    moved = list_rows(plain.read())
    more = LineLabelFiles(
        kind="paddleocr", root=tmp_path, train="train.txt", more=(LabelShare("reviewed.txt"),)
    )

    assert len(before) == 2
    assert len(left_new(moved, before)) == 0
    assert len(left_new(list_rows(more.read()), before)) == 1


def test_a_page_is_new_when_a_region_or_its_text_was_corrected(tmp_path: Path) -> None:
    labels = PageLabelFiles(kind="paddleocr", root=tmp_path, train="pages.txt")
    page = '[{{"transcription": "{}", "points": [[{}, 0], [9, 0], [9, 9], [0, 9]]}}]'
    found = []
    for text, x in (("Total", 0), ("Total", 0), ("Totals", 0), ("Total", 1)):
        (tmp_path / "pages.txt").write_text(f"p.png\t{page.format(text, x)}\n")
        found.append(list_rows(labels.read()))

    assert [len(left_new(rows, found[0])) for rows in found] == [0, 0, 1, 1]


def test_of_rows_that_come_to_the_same_snapshot_all_count(store: Store) -> None:
    for rows in (lines("a=1"), lines("a=1 "), lines("a=1")):
        keep_rows(store, rows, name="toy", snapshot="1" * 64)

    found = read_rows_of(store, name="toy", snapshot="1" * 64)

    assert found is not None
    assert len(left_new(lines("a=1", "a=1 ", "b=1"), found)) == 1


def test_lists_are_kept_by_snapshot_and_the_newest_is_known(store: Store) -> None:
    first, second = lines("a=1"), lines("a=1", "b=2")
    unknown = newest_snapshot(store, name="toy")
    keep_rows(store, first, name="toy", snapshot="1" * 64)
    keep_rows(store, second, name="toy", snapshot="2" * 64)
    keep_rows(store, first, name="toy", snapshot="1" * 64)  # found again

    found = read_rows_of(store, name="toy", snapshot="2" * 64)

    assert unknown == ""
    assert newest_snapshot(store, name="toy") == "1" * 64
    assert found is not None
    assert np.array_equal(found, second)
    assert read_rows_of(store, name="toy", snapshot="3" * 64) is None
