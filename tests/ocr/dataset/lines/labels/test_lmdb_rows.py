import os
from pathlib import Path

import pytest

from ocr.dataset.lines.label import LineRow
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection
from ocr.errors import ArtifactNotFound, BadData, BadInput
from tests.ocr.dataset.roots.packing import write_lmdb, write_tar


def read(root: Path, train: str = "train") -> list[LineRow | Rejection]:
    return list(LineLabelFiles("lmdb", root, train).read())


def test_rows_are_named_by_the_folder_of_their_file_and_their_key(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "train", {b"one": "ONE", b"two": " 二 "})

    rows = [row for row in read(tmp_path) if not isinstance(row, Rejection)]

    assert [(row.image, row.label.text, row.source, row.where) for row in rows] == [
        ("train/image-000000001", "ONE", "train", "train:1"),
        ("train/image-000000002", "二", "train", "train:2"),
    ]


def test_files_in_the_folders_below_are_read_one_after_another(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "train/ST", {b"one": "ONE"})
    write_lmdb(tmp_path / "train/MJ/1", {b"two": "TWO"})

    assert [row.image for row in read(tmp_path)] == [
        "train/MJ/1/image-000000001",
        "train/ST/image-000000001",
    ]


def test_linked_folder_of_files_is_refused_unless_it_is_named_itself(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "train/MJ", {b"one": "ONE"})
    write_lmdb(tmp_path / "elsewhere/ST/1", {b"two": "TWO"})
    (tmp_path / "train/ST").symlink_to(tmp_path / "elsewhere/ST")

    with pytest.raises(BadInput, match=r"train/ST is a link to .*elsewhere/ST, whose data\.mdb is"):
        read(tmp_path)

    (row,) = read(tmp_path, "train/ST")
    assert row.image == "train/ST/1/image-000000001"


def test_links_that_lead_to_no_further_file_are_none_to_refuse(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "train/MJ", {b"one": "ONE"})
    write_lmdb(tmp_path, {b"two": "TWO"})
    (tmp_path / "images").mkdir()
    links = {
        "again": "MJ",
        "round": ".",
        "images": "../images",
        "gone": "x",
        "up": "..",
        "all": "/",
    }
    for name, target in links.items():
        (tmp_path / "train" / name).symlink_to(target)

    assert [row.image for row in read(tmp_path)] == ["train/MJ/image-000000001"]


def test_root_itself_may_be_the_folder_of_the_file(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "crops", {b"one": "ONE"})

    (row,) = read(tmp_path / "crops", ".")

    assert row.where == "crops:1"
    with LineLabelFiles("lmdb", tmp_path / "crops", ".").place().images() as images:
        assert images.read(row.image, max_pixels=1) == b"one"


def test_rows_beyond_the_first_thousands_are_read(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "train", {b"%d" % n: f"T{n}" for n in range(8192 + 3)})

    rows = [row for row in read(tmp_path) if not isinstance(row, Rejection)]

    assert [row.label.text for row in rows] == [f"T{n}" for n in range(8192 + 3)]


def test_bad_rows_are_rejected_with_their_number(tmp_path: Path) -> None:
    rows: dict[bytes, str | bytes] = {b"one": "ONE", b"two": "A\tB"}
    rows |= {b"three": "合计".encode("gb18030"), b"four": "FOUR"}
    write_lmdb(tmp_path / "train", rows, label_000000004=b"")

    rejected = [row for row in read(tmp_path) if isinstance(row, Rejection)]

    assert [(each.where, each.reason, each.detail) for each in rejected] == [
        ("train:2", "tab_in_text", "1 tabs"),
        ("train:3", "malformed_row", "byte 0 is not utf-8"),
        ("train:4", "malformed_row", "there is no label of this number"),
    ]


def test_texts_of_utf_8_are_not_read_as_gbk(tmp_path: Path) -> None:
    """But 鲁 of GBK, which UTF-8 has as ³, and what is ASCII in both."""
    labels = LineLabelFiles("lmdb", tmp_path, "train", encoding="gb18030")
    write_lmdb(tmp_path / "train", {b"one": "鲁A1".encode("gbk"), b"two": "A2"})

    rows = [row for row in labels.read() if not isinstance(row, Rejection)]
    assert [row.label.text for row in rows] == ["鲁A1", "A2"]

    write_lmdb(tmp_path / "train", {b"one": "皖A1", b"two": "A2"})
    with pytest.raises(BadData, match=r"train/data\.mdb are UTF-8, .* dataset\.encoding=utf-8"):
        list(labels.read())


@pytest.mark.parametrize("count", [b"", b"many", b"-1", b"8", b"9" * 40, b"9" * 4000])
def test_numbers_of_rows_that_cannot_be_are_refused(tmp_path: Path, count: bytes) -> None:
    write_lmdb(tmp_path / "train", {b"one": "ONE", b"two": "TWO"}, num_samples=count)

    with pytest.raises(BadData, match=r"train/data\.mdb: num-samples is .* among \d entries"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"num_samples": b"1"}, "image-000000002"),
        ({"num_samples": b"0"}, "image-000000001"),
        ({"image_000000004": b"four"}, "image-000000004"),
        ({"image_000000000": b"zero"}, "image-000000000"),
    ],
)
def test_images_that_no_row_is_of_are_refused(
    tmp_path: Path, more: dict[str, bytes], key: str
) -> None:
    write_lmdb(tmp_path / "train", {b"one": "ONE", b"two": "TWO"}, **more)

    with pytest.raises(BadData, match=rf"train/data\.mdb holds {key}, which is not read: rows"):
        read(tmp_path)


def test_other_keys_and_zeros_before_the_number_of_rows_are_none(tmp_path: Path) -> None:
    more = {"num_samples": b"0" * 20 + b"1", "imageid_000000002": b"x", "image_path": b"a.jpg"}
    write_lmdb(tmp_path / "train", {b"one": "ONE"}, **more)

    (row,) = read(tmp_path)

    assert row.where == "train:1"


def test_absent_files_and_roots_that_are_no_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()

    with pytest.raises(ArtifactNotFound, match=r"no data\.mdb in .*train or a folder in it"):
        read(tmp_path)
    with pytest.raises(BadInput, match="copy what it holds to a folder"):
        read(write_tar(tmp_path / "a.tar", {"train/data.mdb": b""}))


def test_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    files = LineLabelFiles("lmdb", tmp_path, "train")
    write_lmdb(tmp_path / "train", {b"one": "ONE"})
    before = files.fingerprint()
    stamp = files.place().stamps()("train/image-000000001")

    write_lmdb(tmp_path / "train", {b"one": "ONE", b"two": "TWO"})

    assert files.fingerprint() != before
    assert stamp is not None
    assert files.place().stamps()("train/image-000000001") != stamp


def test_a_pipe_is_no_lmdb_file_to_wait_for(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    os.mkfifo(tmp_path / "train/data.mdb")

    with pytest.raises(ArtifactNotFound, match=r"no data\.mdb"):
        read(tmp_path)
