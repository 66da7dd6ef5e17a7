"""The same samples are the same snapshot, whatever their images and labels came in."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.roots import StoreRoot
from ocr.errors import ArtifactNotFound, BadInput
from ocr.store import S3Credentials, open_store
from tests.minio_server import minio_server
from tests.ocr.dataset.lines.preparing import prepare as prepare_lines
from tests.ocr.dataset.pages.preparing import prepare as prepare_pages
from tests.ocr.dataset.pages.sheets import write_page, write_pages
from tests.ocr.dataset.roots.packing import pack_tar, put_folder, write_lmdb
from tests.ocr.image.pictures import write_labels

__all__ = ["minio_server"]

ROWS = {f"images/{n:02}.png": f"T{n:03}" for n in range(24)}
PAGES = {f"p{n}.png": [f"PAGE {n}", "SUM 1.00"] for n in range(5)}


def packed(folder: Path, away: Path, _: S3Credentials) -> Path:
    return pack_tar(folder, away / "all.tar")


def packed_in_a_folder(folder: Path, away: Path, _: S3Credentials) -> Path:
    return pack_tar(folder, away / "all.tar", inside="data/lines") / "data/lines"


def uploaded(folder: Path, _: Path, server: S3Credentials) -> StoreRoot:
    root = StoreRoot(f"s3://bucket-{uuid.uuid4().hex}/scans/may", server)
    put_folder(folder, root)
    return root


ROOTS: dict[str, Callable[[Path, Path, S3Credentials], Path | StoreRoot]] = {
    "tar": packed,
    "folder in a tar": packed_in_a_folder,
    "bucket": uploaded,
}


@pytest.fixture
def away(tmp_path: Path) -> Path:
    (tmp_path / "away").mkdir()
    return tmp_path / "away"


@pytest.mark.parametrize("kind", ROOTS)
def test_digest_of_lines_is_that_of_a_folder(
    tmp_path: Path, away: Path, kind: str, minio_server: S3Credentials
) -> None:
    write_labels(tmp_path / "data", "rec.txt", ROWS)
    root = ROOTS[kind](tmp_path / "data", away, minio_server)

    folder, other = (
        digest_lines(tmp_path / f"store{number}", LineLabelFiles("paddleocr", each, "rec.txt"))
        for number, each in enumerate([tmp_path / "data", root])
    )

    assert folder == other


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


def digest_lines(store: Path, labels: LineLabelFiles, rows: int = len(ROWS)) -> str:
    made = prepare_lines(open_store(str(store)), store, labels=labels)
    assert made.counts["accepted"] == rows
    return made.digest


def digest_pages(store: Path, labels: PageLabelFiles) -> str:
    return prepare_pages(open_store(str(store)), store, labels=labels).digest


@pytest.mark.parametrize("kind", ROOTS)
def test_digest_of_pages_is_that_of_a_folder(
    tmp_path: Path, away: Path, kind: str, minio_server: S3Credentials
) -> None:
    write_pages(tmp_path / "data", "det.txt", PAGES)
    root = ROOTS[kind](tmp_path / "data", away, minio_server)

    folder, other = (
        digest_pages(tmp_path / f"store{number}", PageLabelFiles("ppocrlabel", each, "det.txt"))
        for number, each in enumerate((tmp_path / "data", root))
    )

    assert folder == other


@pytest.mark.parametrize("kind", ROOTS)
def test_file_names_are_texts_in_any_root(
    tmp_path: Path, away: Path, kind: str, minio_server: S3Credentials
) -> None:
    data = tmp_path / "data"
    write_labels(data, "unused.txt", {f"{text}_2.png": text for text in ROWS.values()})
    write_labels(data, "unused.txt", {"test/sub/A 1.png": "A 1", "B/C.png": "C", ".D.png": "D"})
    rows = len(ROWS) + 2
    root = ROOTS[kind](data, away, minio_server)

    folder, other = LineLabelFiles("folder", data), LineLabelFiles("folder", root)

    assert list(folder.read()) == list(other.read())
    assert folder.given() == other.given() == ("test",)
    assert digest_lines(tmp_path / "1", folder, rows) == digest_lines(tmp_path / "2", other, rows)


@pytest.mark.parametrize("kind", ROOTS)
def test_icdar2015_folders_lie_in_any_root(
    tmp_path: Path, away: Path, kind: str, minio_server: S3Credentials
) -> None:
    data = tmp_path / "data"
    for name, texts in PAGES.items():
        for folder in ("train", "test"):
            entries = write_page(data, f"{folder}/{name}", [*texts, folder])
            lines = (
                ",".join(str(each) for point in entry["points"] for each in point)
                + f",{entry['transcription']}\n"
                for entry in entries
            )
            (data / folder / f"gt_{Path(name).stem}.txt").write_text("".join(lines))
    (data / "train" / "._gt_p0.txt").write_bytes(b"\xff of another system")
    root = ROOTS[kind](data, away, minio_server)

    digests = {
        digest_pages(
            tmp_path / f"store{number}", PageLabelFiles("icdar2015", each, "train", "", "test")
        )
        for number, each in enumerate((data, root))
    }

    assert len(digests) == 1
    with pytest.raises(ArtifactNotFound, match=r"no folder gone in .*icdar2015"):
        list(PageLabelFiles("icdar2015", root, "gone").read())


def test_lmdb_files_need_a_folder(tmp_path: Path, away: Path, minio_server: S3Credentials) -> None:
    (tmp_path / "data").mkdir()

    for pack in ROOTS.values():
        with pytest.raises(BadInput, match=r"maps files .* copy what it holds to a folder"):
            list(LineLabelFiles("lmdb", pack(tmp_path / "data", away, minio_server), "a").read())
