"""The password file: private, whole, and made anew when it holds none."""

import resource
from pathlib import Path

import pytest

from deploy.password import read_or_make_password, write_private
from ocr.errors import StoreUnavailable


def test_a_password_is_made_once_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "password"

    password = read_or_make_password(path)
    again = read_or_make_password(path)

    assert again == password
    assert password.startswith("ocrline:")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("broken", [b"", b"\n", b"ocrline:", b"no colon", b"\xff\x00:x"])
def test_a_file_without_a_password_is_written_anew(broken: bytes, tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_bytes(broken)

    password = read_or_make_password(path)

    assert password.startswith("ocrline:")
    assert path.read_text() == password
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_password_of_ones_own_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("me:chosen-by-nobody-else\n")

    assert read_or_make_password(path) == "me:chosen-by-nobody-else"


def test_a_full_disk_leaves_the_password_of_before_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "password"
    write_private(path, "me:of-before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (4, hard))
    try:
        with pytest.raises(StoreUnavailable, match=f"No space to write {path}"):
            write_private(path, "me:anew")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert path.read_text() == "me:of-before"
    assert list(tmp_path.iterdir()) == [path]
