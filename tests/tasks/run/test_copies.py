"""Copies of what the store has: removed when long unused, never while somebody uses them."""

import os
import time
from pathlib import Path

import pytest

from tasks.run.copies import find_copies, remove_copy, use_copy

DAY_S = 24 * 3600
FOLDERS = ("bundles/s/plates/1", "snapshots/0", "snapshots/s/plates/0")
"""The second is where releases of before put a snapshot's."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in FOLDERS:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes(bytes(100))
        os.utime(folder, (0, 0))
    return tmp_path


def before() -> float:
    return time.time() - 30 * DAY_S


def test_unused_copies_are_found_and_go(home: Path) -> None:
    found = list(find_copies(home, before=before()))

    assert [str(each.path.relative_to(home)) for each in found] == list(FOLDERS)
    assert [each.size for each in found] == [100, 100, 100]
    assert all(remove_copy(each, before=before()) for each in found)
    assert not [path for path in home.rglob("*") if path.is_file()]


def test_copy_in_use_is_not_found(home: Path) -> None:
    use_copy(home / FOLDERS[0])

    assert [each.path.name for each in find_copies(home, before=before())] == ["0", "0"]


def test_copy_that_is_used_since_it_was_found_stays(home: Path) -> None:
    found = list(find_copies(home, before=before()))
    use_copy(home / FOLDERS[0])

    assert not remove_copy(found[0], before=before())
    assert (home / FOLDERS[0] / "manifest.json").exists()


def test_copy_that_vanishes_meanwhile_is_no_error(home: Path) -> None:
    (found, *_) = find_copies(home, before=before())
    remove_copy(found, before=before())

    assert not remove_copy(found, before=before())


def test_use_of_what_is_not_there_is_no_error(home: Path) -> None:
    assert use_copy(home / "none") == home / "none"


def test_copy_of_another_user_is_read_and_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found, *_) = find_copies(home, before=before())

    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(Path, "rename", refuse)

    assert use_copy(found.path) == found.path
    assert not remove_copy(found, before=before())
