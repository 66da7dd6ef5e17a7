"""Pages whose labels nobody checked: they teach, and nothing is judged by them."""

from dataclasses import replace
from pathlib import Path

import pytest

from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.errors import BadData
from ocr.store import Store
from tests.ocr.dataset.pages.preparing import LIMITS, VAL, fetch, prepare
from tests.ocr.dataset.pages.sheets import write_pages

CHECKED = {f"checked/{number}.png": [f"TEXT {number}"] for number in range(20)}
READ = {f"read/{number}.png": [f"READ {number}"] for number in range(40)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_pages(tmp_path, "checked.txt", CHECKED)
    write_pages(tmp_path, "read.txt", READ)
    return tmp_path


def take(
    store: Store, root: Path, folder: Path, *, checked: bool = False, bad: float = 0.5
) -> PageSnapshot:
    more = (LabelShare("read.txt", checked=checked),)
    labels = PageLabelFiles("paddleocr", root, "checked.txt", more=more)
    limits = replace(LIMITS, max_bad_share=bad)
    return fetch(store, prepare(store, root, labels=labels, limits=limits), folder)


def test_they_are_in_train_whatever_is_split_off(store: Store, root: Path, tmp_path: Path) -> None:
    mixed = take(store, root, tmp_path / "mixed", checked=True)
    pages = take(store, root, tmp_path / "pages")

    assert any(page.source == "read.txt" for page in mixed.samples("test"))
    assert {page.source for split in ("val", "test") for page in pages.samples(split)} == {
        "checked.txt"
    }
    assert sum(page.source == "read.txt" for page in pages.samples("train")) == len(READ)


def test_where_somebody_labelled_the_page_that_counts_and_is_no_fault(
    store: Store, root: Path, tmp_path: Path
) -> None:
    rows = (root / "checked.txt").read_text()
    (root / "read.txt").write_text(rows.replace("TEXT", "TEST"))

    pages = take(store, root, tmp_path / "pages", bad=0)

    kept = [page for split in ("train", "val", "test") for page in pages.samples(split)]
    assert {page.source for page in kept} == {"checked.txt"}
    assert len(kept) == len(CHECKED)
    (reason,) = pages.manifest.quarantine
    assert (reason.reason, reason.count) == ("checked_elsewhere", len(CHECKED))


def test_they_may_be_all_that_is_learnt_from(store: Store, root: Path, tmp_path: Path) -> None:
    write_pages(root, "val.txt", VAL)
    unchecked = (LabelShare("read.txt", checked=False),)
    labels = PageLabelFiles("paddleocr", root, "", "val.txt", "checked.txt", more=unchecked)

    pages = fetch(store, prepare(store, root, labels=labels), tmp_path / "pages")

    assert {page.source for page in pages.samples("train")} == {"read.txt"}


def test_without_checked_pages_nothing_is_left_to_judge_by(store: Store, root: Path) -> None:
    labels = PageLabelFiles("paddleocr", root, more=(LabelShare("read.txt", checked=False),))

    with pytest.raises(BadData, match=r"the (val|test) split is empty"):
        prepare(store, root, labels=labels)
