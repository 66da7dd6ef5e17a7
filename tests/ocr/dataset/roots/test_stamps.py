"""What is moved or copied over a file with its size and time of change has another stamp."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.dataset.roots import FolderRoot, LmdbRoot, Root, TarRoot
from tests.ocr.dataset.roots.packing import write_lmdb, write_tar

Write = Callable[[Path, bytes], Path]


def write_image(folder: Path, content: bytes) -> Path:
    folder.mkdir()
    (folder / "a.jpg").write_bytes(content)
    return folder / "a.jpg"


def write_packed(folder: Path, content: bytes) -> Path:
    folder.mkdir()
    return write_tar(folder / "a.tar", {"a.jpg": content})


def write_rows(folder: Path, content: bytes) -> Path:
    return write_lmdb(folder / "train", {content: "A"}) / "data.mdb"


def touch_later(path: Path, other: Path) -> None:
    """Touch a file until the clock of its file system has gone on since another one's change."""
    while path.stat().st_ctime_ns <= other.stat().st_ctime_ns:
        path.touch()


@pytest.mark.parametrize(
    ("write", "open_root", "image"),
    [
        (write_image, FolderRoot, "a.jpg"),
        (write_packed, lambda folder: TarRoot(folder / "a.tar"), "a.jpg"),
        (write_rows, LmdbRoot, "train/image-000000001"),
    ],
    ids=["folder", "tar", "lmdb"],
)
def test_other_content_of_equal_size_and_time_has_another_stamp(
    write: Write, open_root: Callable[[Path], Root], image: str, tmp_path: Path
) -> None:
    path, other = write(tmp_path / "data", b"one"), write(tmp_path / "other", b"two")
    os.utime(path, (1, 1))
    root = open_root(tmp_path / "data")
    before = root.stamps()(image)
    assert root.stamps()(image) == before

    touch_later(other, path)
    os.utime(other, (1, 1))
    other.rename(path)

    found = root.stamps()(image)
    assert before is not None
    assert found is not None
    assert found != before
    assert found[:2] == before[:2]
