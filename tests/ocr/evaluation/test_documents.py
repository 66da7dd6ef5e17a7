"""The bootstrap draws documents: wherever a group comes from, it reaches the comparison."""

from pathlib import Path

import pytest

from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.snapshot import open_page_snapshot
from ocr.evaluation.lines.evaluate import evaluate_lines, pair_lines
from ocr.reading.page_reader import PageReading
from ocr.store import Store, open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.lines.preparing import prepare
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser
from tests.ocr.evaluation.pages.scenes import ScriptedReader, evaluate_scripted
from tests.ocr.image.pictures import write_labels

LINES = {f"doc{n // 5}/{n}.png": f"T{n:03}" for n in range(60)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


def count_documents_of_lines(store: Store, key: str, folder: Path) -> int:
    """Documents that a comparison on the test split draws."""
    reader = ScriptedRecogniser("any", lambda number: ("T", 0.5))
    snapshot = open_line_snapshot(download_folder(store, prefix=key, folder=folder / "copy"))
    read = evaluate_lines(reader, snapshot.images("test"), resamples=10, seed=0)
    report = pair_lines(read, read)
    assert report.comparison is not None
    return report.comparison.groups


def test_lines_are_drawn_by_the_column_of_their_table(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    write_labels(root, "unused.txt", LINES)
    rows = "".join(f"{image},{text},{image.split('/')[0]}\n" for image, text in LINES.items())
    (root / "t.csv").write_text("image,text,doc\n" + rows)

    labels = LineLabelFiles("table", root, "t.csv", columns=Columns(group="doc"))
    made = prepare(store, root, labels=labels)

    assert made.counts["test"] % 5 == 0
    assert count_documents_of_lines(store, made.key, tmp_path) == made.counts["test"] // 5


def test_lines_are_drawn_by_the_pattern_over_their_paths(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    write_labels(root, "rec.txt", LINES)

    labels = LineLabelFiles("paddleocr", root, "rec.txt", group_pattern="^doc[0-9]+")
    made = prepare(store, root, labels=labels)

    assert (made.counts["groups"], made.counts["ungrouped"]) == (12, 0)
    assert made.counts["test"] % 5 == 0
    assert count_documents_of_lines(store, made.key, tmp_path) == made.counts["test"] // 5


def prepare_documents(store: Store, root: Path, *, pattern: str) -> str:
    """Ten documents of two pages, three of them in test; the key of the pages."""
    for split, documents in (("train", range(6)), ("val", range(6, 7)), ("test", range(7, 10))):
        pages = {
            f"doc{n}/{page}.png": [f"DOC {n} PAGE {page}", f"SUM {n}{page}"]
            for n in documents
            for page in range(2)
        }
        write_pages(root, f"{split}.txt", pages)
    labels = PageLabelFiles(
        "paddleocr", root, "train.txt", "val.txt", "test.txt", group_pattern=pattern
    )
    return prepare_pages(
        store, name="p", labels=labels, limits=PAGE_LIMITS, split=SPLIT, copies=COPIES
    ).key


@pytest.mark.parametrize(("pattern", "documents"), [("", 6), (r"doc(\d+)/", 3)])
def test_pages_are_drawn_by_document(
    pattern: str, documents: int, store: Store, tmp_path: Path
) -> None:
    key = prepare_documents(store, tmp_path / "data", pattern=pattern)
    pages = open_page_snapshot(download_folder(store, prefix=key, folder=tmp_path / "pages"))
    reader = ScriptedReader("any", lambda number: PageReading((), 0, {}))

    report = evaluate_scripted(candidate=reader, opponent=reader, samples=pages.images("test"))

    assert report.comparison is not None
    assert report.comparison.groups == documents


@pytest.mark.parametrize(("pattern", "documents"), [("", 6), (r"doc(\d+)/", 3)])
def test_crops_are_drawn_by_the_document_of_their_page(
    pattern: str, documents: int, store: Store, tmp_path: Path
) -> None:
    key = prepare_documents(store, tmp_path / "data", pattern=pattern)

    crops = prepare_crops(store, pages_key=key, name="p-lines", limits=PAGE_LIMITS)

    assert crops.counts["test"] == 12
    assert count_documents_of_lines(store, crops.key, tmp_path) == documents
