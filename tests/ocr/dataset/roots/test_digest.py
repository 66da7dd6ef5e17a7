"""The same samples are the same snapshot, whatever their images and labels came in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.errors import BadInput
from ocr.store import open_store
from tests.ocr.dataset.lines.preparing import prepare as prepare_lines
from tests.ocr.dataset.pages.preparing import prepare as prepare_pages
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.roots.packing import pack_tar
from tests.ocr.image.pictures import write_labels

ROWS = {f"images/{n:02}.png": f"T{n:03}" for n in range(24)}
PAGES = {f"p{n}.png": [f"PAGE {n}", "SUM 1.00"] for n in range(5)}


def packed(folder: Path, away: Path) -> Path:
    return pack_tar(folder, away / "all.tar")


def packed_in_a_folder(folder: Path, away: Path) -> Path:
    return pack_tar(folder, away / "all.tar", inside="data/lines") / "data/lines"


ROOTS = {"tar": packed, "folder in a tar": packed_in_a_folder}


@pytest.fixture
def away(tmp_path: Path) -> Path:
    (tmp_path / "away").mkdir()
    return tmp_path / "away"


@pytest.mark.parametrize("kind", ROOTS)
def test_digest_of_lines_is_that_of_a_folder(tmp_path: Path, away: Path, kind: str) -> None:
    write_labels(tmp_path / "data", "rec.txt", ROWS)
    other = ROOTS[kind](tmp_path / "data", away)
    digests = []
    for number, root in enumerate((tmp_path / "data", other)):
        store = open_store(str(tmp_path / f"store{number}"))
        made = prepare_lines(store, away, labels=LineLabelFiles("paddleocr", root, "rec.txt"))
        digests.append(made.digest)

    assert digests[0] == digests[1]


@pytest.mark.parametrize("kind", ROOTS)
def test_digest_of_pages_is_that_of_a_folder(tmp_path: Path, away: Path, kind: str) -> None:
    write_pages(tmp_path / "data", "det.txt", PAGES)
    other = ROOTS[kind](tmp_path / "data", away)
    digests = []
    for number, root in enumerate((tmp_path / "data", other)):
        store = open_store(str(tmp_path / f"store{number}"))
        made = prepare_pages(store, away, labels=PageLabelFiles("ppocrlabel", root, "det.txt"))
        digests.append(made.digest)

    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    "read",
    [
        lambda root: LineLabelFiles("folder", root).read(),
        lambda root: PageLabelFiles("icdar2015", root, "may").read(),
    ],
)
def test_sources_that_list_files_need_a_folder(
    tmp_path: Path, away: Path, read: Callable[[Path], object]
) -> None:
    write_labels(tmp_path / "data", "rec.txt", ROWS)
    root = packed(tmp_path / "data", away)

    with pytest.raises(BadInput, match=r"lists the files of a folder, .*all\.tar is none"):
        list(read(root))  # type: ignore[call-overload]
