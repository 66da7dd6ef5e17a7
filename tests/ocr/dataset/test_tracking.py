"""Who watches a preparation sees as many rows as were announced, bad ones too."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.store import open_store
from tests.ocr.dataset.pages.sheets import add_row, write_pages
from tests.ocr.dataset.rules import COPIES, LINE_LIMITS, NEAR_BITS, PAGE_LIMITS, SPLIT
from tests.ocr.image.pictures import write_labels

RowT = TypeVar("RowT")
FILES = ("train.txt", "val.txt", "test.txt")


class Watcher:
    """Counts the rows that are announced, and those that come."""

    def __init__(self) -> None:
        self.announced = self.seen = 0

    def __call__(self, rows: Iterable[RowT], count: int, /) -> Iterator[RowT]:
        self.announced += count
        for row in rows:
            self.seen += 1
            yield row


def test_every_line_is_seen(tmp_path: Path) -> None:
    watcher = Watcher()
    write_labels(tmp_path, "train.txt", {f"{n}.png": f"T{n}" for n in range(9)})
    write_labels(tmp_path, "val.txt", {"val.png": "V"})
    write_labels(tmp_path, "test.txt", {"test.png": "E"})
    with (tmp_path / "train.txt").open("a") as labels:
        labels.write("gone.png\tT9\n")

    prepare_lines(
        open_store(str(tmp_path / "store")),
        name="d",
        labels=LineLabelFiles("paddleocr", tmp_path, *FILES),
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        track=watcher,
    )

    assert (watcher.announced, watcher.seen) == (12, 12)


def test_every_page_and_every_line_on_it_is_seen(tmp_path: Path) -> None:
    of_pages, of_lines = Watcher(), Watcher()
    store = open_store(str(tmp_path / "store"))
    limits = replace(PAGE_LIMITS, max_bad_share=0.5)
    write_pages(tmp_path, "train.txt", {f"{n}.png": [f"T {n}", f"{n}.00"] for n in range(4)})
    write_pages(tmp_path, "val.txt", {"val.png": ["V"]})
    write_pages(tmp_path, "test.txt", {"test.png": ["E"]})
    add_row(tmp_path, "train.txt", "gone.png", [])

    pages = prepare_pages(
        store,
        name="p",
        labels=PageLabelFiles("paddleocr", tmp_path, *FILES),
        limits=limits,
        split=SPLIT,
        copies=COPIES,
        track=of_pages,
    )
    prepare_crops(store, pages_key=pages.key, name="l", limits=limits, track=of_lines)

    assert (of_pages.announced, of_pages.seen) == (7, 7)
    assert (of_lines.announced, of_lines.seen) == (10, 10)
