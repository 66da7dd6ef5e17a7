import os
from pathlib import Path

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.lines.label import LineRow
from ocr.dataset.lines.labels.folder import given_splits, list_folder
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import FolderRoot


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def list_rows(root: Path, encoding: Encoding = "utf-8") -> list[LineRow]:
    found = list(list_folder(FolderRoot(root), encoding=encoding))
    rows = [row for row in found if isinstance(row, Row)]
    assert rows == found
    return rows


def test_text_is_the_name_without_counter_and_suffix(tmp_path: Path) -> None:
    touch(tmp_path, "AB 12.jpg", "AB 12_2.JPEG", "x_y.png", "v1.5.webp", "_12345.png")

    rows = {row.image: row.label.text for row in list_rows(tmp_path)}

    assert rows == {
        "AB 12.jpg": "AB 12",
        "AB 12_2.JPEG": "AB 12",
        "x_y.png": "x_y",
        "v1.5.webp": "v1.5",
        "_12345.png": "_12345",
    }


def test_decomposed_names_are_composed(tmp_path: Path) -> None:
    touch(tmp_path, "cafe\u0301.png")

    assert [row.label.text for row in list_rows(tmp_path)] == ["café"]


def test_other_and_hidden_files_are_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "A.png", "README.txt", ".B.png", ".cache/C.png", "sub/D.png")

    assert [row.image for row in list_rows(tmp_path)] == ["A.png", "sub/D.png"]


def test_top_folders_named_after_splits_give_them(tmp_path: Path) -> None:
    touch(tmp_path, "train/A.png", "test/deep/B.png", "other/val/C.png", "D.png")

    assert given_splits(FolderRoot(tmp_path)) == ("test",)
    assert {row.label.text: row.split for row in list_rows(tmp_path)} == {
        "A": None,
        "B": "test",
        "C": None,
        "D": None,
    }


def test_names_in_gbk_are_texts_where_that_is_the_encoding(tmp_path: Path) -> None:
    """As unzip leaves an archive of Windows."""
    (tmp_path / os.fsdecode("金额 12元_2.png".encode("gbk"))).write_bytes(b"image")
    touch(tmp_path, "合计.png")

    [total, row] = sorted(list_rows(tmp_path, "gb18030"), key=lambda row: row.label.text)

    assert (total.label.text, total.image) == ("合计", "合计.png")
    assert (row.label.text, row.image) == ("金额 12元", "金额 12元_2.png")
    with FolderRoot(tmp_path).images() as images:
        assert images.read(row.image, max_pixels=1) == b"image"


def test_names_that_are_no_utf8_are_rejected_with_what_reads_them(tmp_path: Path) -> None:
    touch(tmp_path, os.fsdecode("金额.png".encode("gbk")))

    [rejection] = list_folder(FolderRoot(tmp_path), encoding="utf-8")

    assert isinstance(rejection, Rejection)
    assert (rejection.reason, rejection.text) == ("control_character", "金额")
    assert "dataset.encoding=gb18030" in rejection.detail
