"""The password file: private, whole, and made anew when it holds none."""

from pathlib import Path

import pytest

from deploy.password import read_or_make_password


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
