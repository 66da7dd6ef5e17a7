import errno
import os
from pathlib import Path

import pytest

from ocr.dataset.quarantine import Reason
from ocr.errors import StoreUnavailable
from ocr.image.folder import ImageFolder
from ocr.image.pixels import BadImage


@pytest.fixture
def folder(tmp_path: Path) -> ImageFolder:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub/a.jpg").write_bytes(b"image")
    (root / "large.jpg").write_bytes(bytes(2 << 20))
    (root / "inner.jpg").symlink_to("sub/a.jpg")
    (root / "outer.jpg").symlink_to(tmp_path / "secret.jpg")
    (root / "linked").symlink_to(tmp_path)
    (root / "loop.jpg").symlink_to("loop.jpg")
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    os.mkfifo(root / "pipe.jpg")
    return ImageFolder(root)


@pytest.mark.parametrize(
    "image", ["sub/a.jpg", "./sub/a.jpg", "sub/../sub/a.jpg", "sub//a.jpg", "inner.jpg"]
)
def test_paths_within_the_root_are_read(image: str, folder: ImageFolder) -> None:
    assert folder.read(image, max_pixels=1) == b"image"


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("/etc/hostname", "outside_root"),
        ("../secret.jpg", "outside_root"),
        ("sub/../../secret.jpg", "outside_root"),
        ("outer.jpg", "outside_root"),
        ("linked/secret.jpg", "outside_root"),
        ("..", "outside_root"),
        ("gone.jpg", "missing_image"),
        ("gone/a.jpg", "missing_image"),
        ("sub/a.jpg/b.jpg", "missing_image"),
        ("a" * 300 + ".jpg", "missing_image"),
        ("a\0.jpg", "missing_image"),
        ("\ud800.jpg", "missing_image"),
        ("C:\\images\\a.jpg", "missing_image"),
        ("sub", "unreadable_image"),
        ("sub/", "unreadable_image"),
        ("", "unreadable_image"),
        ("pipe.jpg", "unreadable_image"),
        ("loop.jpg", "unreadable_image"),
        ("large.jpg", "unreadable_image"),
    ],
)
def test_anything_else_is_refused_with_its_reason(
    image: str, reason: Reason, folder: ImageFolder
) -> None:
    with pytest.raises(BadImage) as refusal:
        folder.read(image, max_pixels=1)

    assert refusal.value.reason == reason


@pytest.mark.parametrize(
    ("image", "said"),
    [
        ("a/" * 65 + "a.jpg", "is more than 64 folders deep, and so is not looked for"),
        ("a" * 4097, "is longer than 4,096 characters, and so is not looked for"),
        ("a/" * 64 + "gone.jpg", "no file 'a/"),
    ],
    ids=["deep", "long", "gone"],
)
def test_what_is_not_looked_for_is_not_said_to_be_gone(
    image: str, said: str, folder: ImageFolder, tmp_path: Path
) -> None:
    deep = tmp_path / "root" / ("a/" * 65)
    deep.mkdir(parents=True)
    (deep / "a.jpg").write_bytes(b"image")

    with pytest.raises(BadImage, match=said) as refusal:
        folder.read(image, max_pixels=1)

    assert refusal.value.reason == "missing_image"


@pytest.mark.parametrize(
    ("image", "said"),
    [
        ("../secret.jpg", "'../secret.jpg' leads out of the root"),
        ("outer.jpg", "'outer.jpg' is a link that leads out of the root"),
        ("linked/secret.jpg", "'linked/secret.jpg' is a link that leads out of the root"),
    ],
)
def test_a_link_out_of_the_root_is_said_to_be_one(
    image: str, said: str, folder: ImageFolder
) -> None:
    with pytest.raises(BadImage, match=f"^{said}$"):
        folder.read(image, max_pixels=1)


@pytest.mark.parametrize("call", ["open", "read"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EMFILE])
def test_what_this_machine_cannot_read_now_is_no_bad_image(
    call: str, number: int, folder: ImageFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(f"ocr.image.folder.os.{call}", fail)

    with pytest.raises(StoreUnavailable, match=f"'sub/a.jpg' in .*/root: {os.strerror(number)}; "):
        folder.read("sub/a.jpg", max_pixels=1)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EILSEQ])
def test_a_name_that_a_share_cannot_have_is_missing(
    number: int, folder: ImageFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("ocr.image.folder.os.open", fail)

    with pytest.raises(BadImage, match="no file") as refusal:
        folder.read("sub\\a.jpg", max_pixels=1)

    assert refusal.value.reason == "missing_image"


def test_without_permission_it_is_unreadable_until_that_is_given(
    folder: ImageFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    given = folder.stamp("sub/a.jpg")
    with monkeypatch.context() as without:  # who tests as root may read all
        without.setattr("ocr.image.folder.os.open", refuse)
        without.setattr("ocr.image.folder.os.access", lambda *_: False)
        with pytest.raises(BadImage, match=r"'sub/a\.jpg': Permission denied") as refusal:
            folder.read("sub/a.jpg", max_pixels=1)
        before = folder.stamp("sub/a.jpg")

    assert refusal.value.reason == "unreadable_image"
    assert (before, folder.stamp("sub/a.jpg")) == (None, given)


def test_absolute_path_into_the_root_is_refused_too(folder: ImageFolder, tmp_path: Path) -> None:
    with pytest.raises(BadImage, match="is absolute, expected relative"):
        folder.read(str(tmp_path / "root/sub/a.jpg"), max_pixels=1)


def test_stamp_changes_with_the_file_and_is_none_without(
    folder: ImageFolder, tmp_path: Path
) -> None:
    before = folder.stamp("sub/a.jpg")

    (tmp_path / "root/sub/a.jpg").write_bytes(b"longer")

    assert before is not None
    assert folder.stamp("sub/a.jpg") != before
    assert folder.stamp("gone.jpg") is None
    assert folder.stamp("../secret.jpg") is None


def test_a_folder_that_became_a_link_out_of_the_root_is_not_read(
    folder: ImageFolder, tmp_path: Path
) -> None:
    """Also where it was looked at before: what was opened counts, not what its name led to."""
    folder.read("sub/a.jpg", max_pixels=1)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.jpg").write_bytes(b"of somebody else")
    (tmp_path / "root/sub").rename(tmp_path / "root/before")
    (tmp_path / "root/sub").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(BadImage, match="leads out of the root") as caught:
        folder.read("sub/a.jpg", max_pixels=1)

    assert caught.value.reason == "outside_root"
