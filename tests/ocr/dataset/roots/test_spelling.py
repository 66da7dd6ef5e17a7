"""Names of label rows that the files of a root have spelled otherwise."""

import os
import uuid
from pathlib import Path

import pytest

from ocr.dataset.quarantine import Reason
from ocr.dataset.roots import FolderRoot, Root, StoreRoot, TarRoot
from ocr.image.pixels import BadImage
from ocr.store import S3Credentials
from tests.minio_server import minio_server
from tests.ocr.dataset.lines.at_once import read_labelled_lines
from tests.ocr.dataset.roots.packing import pack_tar, put_folder
from tests.ocr.image.pictures import write_labels

__all__ = ["minio_server"]

JOINED, APART = "Tháng é.png", "Tha\u0301ng e\u0301.png"
BOTH = {
    "both/é.png": b"joined",
    "both/e\u0301.png": b"apart",
    "both/é é.png": b"one",
    "both/ó ó.png": b"joined",
    "both/o\u0301 o\u0301.png": b"apart",
}


@pytest.fixture(params=["folder", "tar", "bucket"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Root:
    folder = tmp_path / "data"
    (folder / "图片").mkdir(parents=True)
    (folder / "图片" / "0号.png").write_bytes(b"image")
    for place in (APART, f"ガ/{JOINED}", *BOTH):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_bytes(BOTH.get(place, b"image"))
    (tmp_path / "secret.png").write_bytes(b"secret")
    if request.param == "folder":
        return FolderRoot(folder)
    if request.param == "tar":
        return TarRoot(pack_tar(folder, tmp_path / "all.tar"))
    server: S3Credentials = request.getfixturevalue("minio_server")
    bucket = StoreRoot(f"s3://spelling-{uuid.uuid4().hex}/may", server)
    put_folder(folder, bucket)
    return bucket


@pytest.mark.parametrize("image", ["图片\\0号.png", ".\\图片\\0号.png", "图片\\..\\图片/0号.png"])
def test_path_of_windows_is_read_with_its_slashes_turned(image: str, root: Root) -> None:
    with root.images() as images:
        assert images.read(image, max_pixels=1) == b"image"
        assert images.exists(image)
    assert root.stamps()(image) == root.stamps()("图片/0号.png") is not None


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("D:\\scans\\图片\\0号.png", "outside_root"),
        ("C:/scans/0.png", "outside_root"),
        ("\\\\server\\scans\\0.png", "outside_root"),
        ("..\\secret.png", "outside_root"),
        ("图片\\..\\..\\secret.png", "outside_root"),
        ("图片\\1号.png", "missing_image"),
    ],
)
def test_any_other_path_of_windows_is_refused_as_it_is_written(
    image: str, reason: Reason, root: Root
) -> None:
    with root.images() as images:
        with pytest.raises(BadImage) as refusal:
            images.read(image, max_pixels=1)
        assert not images.exists(image)

    assert refusal.value.reason == reason
    if not isinstance(root, StoreRoot) or reason == "outside_root":
        assert f"'{image}'" in str(refusal.value)


def test_name_is_read_in_the_form_that_is_there(root: Root) -> None:
    with root.images() as images:
        for name, other in ((APART, JOINED), (f"ガ\\{JOINED}", f"ガ\\{APART}")):
            assert images.read(other, max_pixels=1) == images.read(name, max_pixels=1) == b"image"
            assert images.exists(other)
            assert root.stamps()(other) == root.stamps()(name) is not None


def test_name_of_mixed_forms_is_missing_where_both_forms_are_there(root: Root) -> None:
    with root.images() as images:
        assert images.read("both/é.png", max_pixels=1) == b"joined"
        assert images.read("both/e\u0301.png", max_pixels=1) == b"apart"
        assert images.read("both/é e\u0301.png", max_pixels=1) == b"one"
        with pytest.raises(BadImage, match=r"no file|No artifact"):
            images.read("both/ó o\u0301.png", max_pixels=1)


@pytest.mark.parametrize("image", ["图片/0号.PNG", "图片\\0号.Png"])
def test_file_of_the_other_case_is_named_and_not_read(image: str, root: Root) -> None:
    with root.images() as images:
        with pytest.raises(BadImage, match=r"but '图片/0号\.png' is there: write it") as refusal:
            images.read(image, max_pixels=1)
        assert not images.exists(image)

    assert refusal.value.reason == "missing_image"


def test_file_whose_name_has_a_backslash_or_a_colon_is_read_as_such(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "C:").mkdir()
    for name, content in (("a/1.png", b"of a"), ("a\\1.png", b"own"), ("C:/1.png", b"of C")):
        (tmp_path / name).write_bytes(content)

    for root in (FolderRoot(tmp_path), TarRoot(pack_tar(tmp_path, tmp_path.parent / "b.tar"))):
        with root.images() as images:
            assert images.read("a\\1.png", max_pixels=1) == b"own"
            assert images.read("C:/1.png", max_pixels=1) == b"of C"


@pytest.mark.parametrize(
    "place", ["发票/图 1.png".encode("gbk"), "发票/".encode() + "图 1.png".encode("gbk")]
)
@pytest.mark.parametrize("slash", ["/", "\\"])
def test_name_of_a_folder_is_found_in_gbk(place: bytes, slash: str, tmp_path: Path) -> None:
    """As unzip leaves an archive of Windows."""
    path = tmp_path / os.fsdecode(place)
    path.parent.mkdir()
    path.write_bytes(b"image")
    image = f"发票{slash}图 1.png"

    root = FolderRoot(tmp_path)
    with root.images() as images:
        assert images.read(image, max_pixels=1) == b"image"
        assert images.exists(image)
        assert not images.exists(image.replace("1", "2"))
    assert root.stamps()(image) is not None


def test_file_that_may_not_be_read_has_no_stamp_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody would notice when the permission is given."""
    for name in ("é.png", "e\u0301.png"):
        (tmp_path / name).write_bytes(b"image")
    may_read = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "é" not in path and may_read(path, mode))

    assert FolderRoot(tmp_path).stamps()("é.png") is None


def test_path_that_is_longer_than_any_is_missing_at_once(tmp_path: Path) -> None:
    """Each of its spellings would be as long, and each folder is looked for by a path as long."""
    with FolderRoot(tmp_path).images() as images, pytest.raises(BadImage) as refusal:
        images.read("图/" * 1_000_000 + "e\u0301" * 100_000, max_pixels=1)

    assert refusal.value.reason == "missing_image"


def test_path_of_more_folders_than_anybody_has_is_missing(tmp_path: Path) -> None:
    """Each is looked for in as many spellings, and there are as many paths in a URL of it."""
    deep = ["a/" * folders + "1.png" for folders in (64, 65)]
    (tmp_path / deep[1]).parent.mkdir(parents=True)
    for path in deep:
        (tmp_path / path).write_bytes(b"x")

    assert [FolderRoot(tmp_path).stamps()(path) is not None for path in deep] == [True, False]


def test_link_out_of_the_root_is_refused_behind_a_backslash_too(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "linked").symlink_to(tmp_path)

    with FolderRoot(tmp_path / "data").images() as images, pytest.raises(BadImage):
        images.read("linked\\secret.png", max_pixels=1)


def test_label_file_written_on_windows_is_evaluated(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"scans/1.png": "A"})
    (tmp_path / "rec.txt").write_text("scans\\1.png\tA\r\n")

    lines, rejections = read_labelled_lines(tmp_path / "rec.txt", max_pixels=1 << 20)

    assert [text for _, text in lines] == ["A"]
    assert not rejections
