import os
from pathlib import Path
from typing import get_args

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.lines.label import LineRow
from ocr.dataset.lines.labels.folder import given_splits, list_folder
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import FolderRoot
from ocr.errors import BadData


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


def test_linked_folders_of_images_out_of_the_root_are_rejected(tmp_path: Path) -> None:
    touch(tmp_path, "root/sub/A.png", "elsewhere/train/B.png", "docs/readme.md")
    links = {"sub/more": "../../elsewhere", "again": "sub", ".cache": "/"}
    for link, target in {**links, "up": "..", "all": "/", "docs": "../docs"}.items():
        (tmp_path / "root" / link).symlink_to(target)

    rejection, row = list_folder(FolderRoot(tmp_path / "root"), encoding="utf-8")

    assert isinstance(rejection, Rejection)
    assert (rejection.reason, rejection.image) == ("outside_root", "sub/more")
    assert row.image == "sub/A.png"


def test_top_folders_named_after_splits_give_them(tmp_path: Path) -> None:
    touch(tmp_path, "train/A.png", "test/deep/B.png", "other/val/C.png", "D.png")

    assert given_splits(FolderRoot(tmp_path)) == ("test",)
    assert {row.label.text: row.split for row in list_rows(tmp_path)} == {
        "A": None,
        "B": "test",
        "C": None,
        "D": None,
    }


@pytest.mark.parametrize(
    ("folders", "misnamed", "split"),
    [
        (["Train", "Test"], "Test", "test"),
        (["train", "test", "valid"], "valid", "val"),
        (["train", "VALIDATION"], "VALIDATION", "val"),
        (["test", "testing"], "testing", "test"),
        ([".", "Testing"], "Testing", "test"),
    ],
)
def test_folder_that_is_named_nearly_after_a_split_is_refused_beside_another(
    folders: list[str], misnamed: str, split: str, tmp_path: Path
) -> None:
    touch(tmp_path, *(f"{folder}/{at}.png" for at, folder in enumerate(folders)))

    with pytest.raises(BadData, match=f"folder '{misnamed}' of .* name it '{split}' if they"):
        list_rows(tmp_path)


@pytest.mark.parametrize(
    "folders",
    [["Training"], ["Test", "more"], [".", "more/Test", "latest"], ["train", "test", "Test.1"]],
)
def test_folder_that_is_named_so_beside_no_other_may_be_anything(
    folders: list[str], tmp_path: Path
) -> None:
    touch(tmp_path, *(f"{folder}/{at}.png" for at, folder in enumerate(folders)), "Valid/a.txt")

    assert len(list_rows(tmp_path)) == len(folders)


def gbk(name: str) -> str:
    """The name that the system shows of one that was written in GBK, as unzip leaves it."""
    return os.fsdecode(name.encode("gbk"))


@pytest.mark.parametrize("others", [["京A1_2.png", "沪B 2.png"], []])
def test_names_in_gbk_are_texts_where_that_is_the_encoding(
    others: list[str], tmp_path: Path
) -> None:
    """Those of two provinces are letters of UTF-8 too: ³ and ԥ."""
    names = ["鲁A1.png", "豫B2.png", *others]
    for name in names:
        (tmp_path / gbk(name)).write_bytes(name.encode())
    touch(tmp_path, "A1.png", "é.txt", "发票/B2.png")

    rows = {row.image: row.label.text for row in list_rows(tmp_path, "gb18030")}

    assert rows.pop("A1.png") == "A1"
    assert rows.pop("发票/B2.png") == "B2"
    assert rows == {name: name.removesuffix(".png").removesuffix("_2") for name in names}
    with FolderRoot(tmp_path).images() as images:
        assert [images.read(name, max_pixels=1).decode() for name in names] == names


def test_names_of_utf8_are_read_as_such_whatever_the_encoding_of_others(tmp_path: Path) -> None:
    """But for those of two bytes where GBK was said: 鲁A1 would be read as ³A1."""
    touch(tmp_path, "京A1.png", "café.png")

    read: dict[Encoding, set[str]] = {"utf-8": {"京A1", "café"}, "gb18030": {"京A1"}}
    for encoding, texts in read.items():
        found = list_folder(FolderRoot(tmp_path), encoding=encoding)
        assert {row.label.text for row in found if isinstance(row, Row)} == texts


def test_name_that_two_files_have_is_rejected(tmp_path: Path) -> None:
    """Of an archive that was unpacked twice: the label would lead to the other's picture."""
    touch(tmp_path, "京A1.png", gbk("京A1.png"), gbk("京B2.png"))

    row, *others = list_folder(FolderRoot(tmp_path), encoding="gb18030")
    rejection, third = sorted(others, key=lambda each: isinstance(each, Row))

    assert isinstance(rejection, Rejection)
    assert (rejection.reason, rejection.image) == ("malformed_row", "京A1.png")
    assert {row.image, third.image} == {"京A1.png", "京B2.png"}


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_name_that_is_neither_is_rejected(encoding: Encoding, tmp_path: Path) -> None:
    touch(tmp_path, "A1.png", "\udcff.png")

    found = list(list_folder(FolderRoot(tmp_path), encoding=encoding))

    assert [each.image for each in found if isinstance(each, Rejection)] == ["\\xff.png"]


@pytest.mark.parametrize(
    ("encoding", "rejected"),
    [("utf-8", {"沪B2.png", "鲁A1.png"}), ("gb18030", {"鲁A1.png"})],
)
def test_names_that_may_be_one_or_the_other_are_rejected_with_what_reads_them(
    encoding: Encoding, rejected: set[str], tmp_path: Path
) -> None:
    touch(tmp_path, "京A1.png", gbk("沪B2.png"), gbk("鲁A1.png"))

    found = list(list_folder(FolderRoot(tmp_path), encoding=encoding))

    faults = [each for each in found if isinstance(each, Rejection)]
    assert {each.image for each in faults} == rejected
    assert {each.reason for each in faults} == {"control_character"}
    assert all("dataset.encoding=gb18030" in each.detail for each in faults)
