"""The same samples are the same snapshot, whatever their images and labels came in."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.roots import StoreRoot
from ocr.errors import BadInput
from ocr.store import S3Credentials, open_store
from tests.ocr.dataset.lines.preparing import prepare as prepare_lines
from tests.ocr.dataset.pages.preparing import prepare as prepare_pages
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.roots.packing import pack_tar, put_folder, write_lmdb
from tests.ocr.image.pictures import write_labels
from tests.ocr.store.conftest import moto_server

__all__ = ["moto_server"]

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

    folder, other = (
        digest_lines(tmp_path / f"store{number}", LineLabelFiles("paddleocr", root, "rec.txt"))
        for number, root in enumerate([tmp_path / "data", ROOTS[kind](tmp_path / "data", away)])
    )

    assert folder == other


def test_digest_of_a_bucket_is_that_of_a_folder(tmp_path: Path, moto_server: S3Credentials) -> None:
    write_labels(tmp_path / "data", "rec.txt", ROWS)
    root = StoreRoot(f"s3://bucket-{uuid.uuid4().hex}/scans/may", moto_server)
    put_folder(tmp_path / "data", root)

    folder = LineLabelFiles("paddleocr", tmp_path / "data", "rec.txt")
    bucket = LineLabelFiles("paddleocr", root, "rec.txt")

    assert digest_lines(tmp_path / "1", folder) == digest_lines(tmp_path / "2", bucket)


def test_digest_of_an_lmdb_file_is_that_of_a_folder_of_equal_names(
    tmp_path: Path, away: Path
) -> None:
    root = tmp_path / "data"
    names = {f"rec/image-{number:09}": text for number, text in enumerate(ROWS.values(), start=1)}
    write_labels(root, "rec.txt", names)
    (root / "rec.txt").rename(away / "rec")
    rows = {(root / name).read_bytes(): text for name, text in names.items()}
    write_lmdb(tmp_path / "lmdb" / "rec", rows)

    folder = LineLabelFiles("paddleocr", root, str(away / "rec"))
    lmdb = LineLabelFiles("lmdb", tmp_path / "lmdb", "rec")

    assert digest_lines(tmp_path / "1", folder) == digest_lines(tmp_path / "2", lmdb)


def digest_lines(store: Path, labels: LineLabelFiles) -> str:
    made = prepare_lines(open_store(str(store)), store, labels=labels)
    assert made.counts["accepted"] == len(ROWS)
    return made.digest


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
