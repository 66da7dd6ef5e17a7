"""Every source of labels gives the same rows, whatever root its files lie in."""

import json
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.labels.files import LineLabelKind
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.labels.files import PageLabelKind
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import StoreRoot
from ocr.store import S3Credentials
from tests.minio_server import minio_server
from tests.ocr.dataset.pages.labels.test_files import WRITERS
from tests.ocr.dataset.roots.packing import pack_tar, put_folder
from tests.ocr.image.pictures import write_labels

__all__ = ["minio_server"]


def write_mmocr(folder: Path) -> str:
    instance = {"polygon": [0, 1, 9, 1, 9, 5, 0, 5], "text": "A"}
    item = {"img_path": "img/1.jpg", "height": 9, "width": 9, "instances": [instance]}
    (folder / "pages.json").write_text(json.dumps({"data_list": [item]}))
    return "pages.json"


Labels = LineLabelFiles | PageLabelFiles
LINES: dict[LineLabelKind, tuple[str, str]] = {
    "paddleocr": ("rec.txt", "a.png\tA\n"),
    "table": ("rec.csv", "image,text\na.png,A\n"),
    "mmocr": ("rec.json", '{"data_list": [{"img_path": "a.png", "instances": [{"text": "A"}]}]}'),
    "folder": ("", ""),
}
PAGES: dict[PageLabelKind, Callable[[Path], str]] = {
    **WRITERS,
    "mmocr": write_mmocr,
}


def assert_equal_rows(
    folder: Path, server: S3Credentials, open_labels: Callable[[Path | StoreRoot], Labels]
) -> None:
    """The rows of a folder are those of a tar file and of a bucket, and none is rejected."""
    bucket = StoreRoot(f"s3://sources-{uuid.uuid4().hex}/may", server)
    put_folder(folder, bucket)
    tar = pack_tar(folder, folder.parent / "all.tar", inside="data") / "data"

    rows = [list(open_labels(root).read()) for root in (folder, tar, bucket)]

    assert len(rows[0]) == 1
    assert not isinstance(rows[0][0], Rejection)
    assert rows[0] == rows[1] == rows[2]


@pytest.mark.parametrize("kind", LINES)
def test_every_source_of_lines(
    kind: LineLabelKind, tmp_path: Path, minio_server: S3Credentials
) -> None:
    write_labels(tmp_path / "data", "rec.txt", {"a.png": "A"})
    name, content = LINES[kind]
    if name:
        (tmp_path / "data" / name).write_text(content)

    assert_equal_rows(
        tmp_path / "data", minio_server, lambda root: LineLabelFiles(kind, root, name)
    )


@pytest.mark.parametrize("kind", PAGES)
def test_every_source_of_pages(
    kind: PageLabelKind, tmp_path: Path, minio_server: S3Credentials
) -> None:
    (tmp_path / "data").mkdir()
    name = PAGES[kind](tmp_path / "data")

    assert_equal_rows(
        tmp_path / "data", minio_server, lambda root: PageLabelFiles(kind, root, name)
    )


def test_texts_of_a_tar_file_are_not_those_of_a_folder_beside_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    name = WRITERS["icdar2015"](data)
    packed = PageLabelFiles("icdar2015", pack_tar(data, tmp_path / "data" / "all.tar"), name)
    before, fingerprint = list(packed.read()), packed.fingerprint()

    for text in (data / name).glob("*.txt"):
        text.write_text("0,1,9,1,9,5,0,5,CORRECTED LATER\n")

    assert list(packed.read()) == before
    assert packed.fingerprint() == fingerprint
