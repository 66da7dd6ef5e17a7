"""Pages of a test split that is frozen stay what they are, with their regions and groups."""

from pathlib import Path

import pytest

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import BadData
from ocr.store import Store, open_store
from tests.ocr.dataset.pages.preparing import fetch
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "pages", 20)
    return tmp_path / "pages"


def write(root: Path, count: int) -> None:
    write_pages(root, "det.txt", {f"{n}.png": [f"{n} PAGE", "SUM"] for n in range(count)})


def prepare(store: Store, root: Path, *, frozen: str = "", grouped: str = "") -> SnapshotRef:
    return prepare_pages(
        store,
        name="p",
        labels=PageLabelFiles("paddleocr", root, "det.txt", group_pattern=grouped),
        limits=PAGE_LIMITS,
        split=SPLIT,
        copies=COPIES,
        frozen_test=frozen,
    )


def test_pages_are_frozen_with_their_regions(store: Store, root: Path) -> None:
    made = prepare(store, root)
    write(root, 40)
    grown = prepare(store, root, frozen=made.test_digest)
    labels = (root / "det.txt").read_text()
    (root / "det.txt").write_text(labels.replace("SUM", "SAM"))

    assert grown.counts["accepted"] == 40
    assert grown.test_digest == made.test_digest
    with pytest.raises(BadData, match=r"labelled otherwise \(for example \d+\.png '2 regions "):
        prepare(store, root, frozen=made.test_digest)


def test_a_copy_of_a_frozen_page_in_another_group_changes_nothing(
    store: Store, root: Path, tmp_path: Path
) -> None:
    by_name = r"(\w+)\.png"
    made = prepare(store, root, grouped=by_name)
    tested = next(fetch(store, made, tmp_path).samples("test")).image
    (root / "0a.png").write_bytes((root / tested).read_bytes())
    row = next(
        each for each in (root / "det.txt").read_text().splitlines() if each.startswith(tested)
    )
    with (root / "det.txt").open("a") as file:
        file.write(row.replace(tested, "0a.png") + "\n")

    again = prepare(store, root, frozen=made.test_digest, grouped=by_name)

    assert again.test_digest == made.test_digest
