import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ocr.dataset.quarantine import Reason
from ocr.dataset.roots import Images, TarRoot, find_root
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import BadImage
from tests.ocr.dataset.roots.packing import write_tar

LONG = "/".join(["folder-of-a-long-path"] * 20) + "/图.png"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    members = {
        "./sub/a.jpg": b"image",
        "rec.txt": b"sub/a.jpg\tA\n",
        LONG: b"deep",
        "empty.jpg": b"",
        "/etc/absolute.jpg": b"secret",
        "../outside.jpg": b"secret",
        "large.jpg": bytes(2 << 20),
        "twice.jpg": b"old",
    }
    write_tar(tmp_path / "a.tar", members)
    with tarfile.open(tmp_path / "a.tar", "a") as tar:
        for kind, name in ((tarfile.SYMTYPE, "symbolic.jpg"), (tarfile.LNKTYPE, "hard.jpg")):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = kind, "sub/a.jpg"
            tar.addfile(link)
        pipe = tarfile.TarInfo("pipe.jpg")
        pipe.type = tarfile.FIFOTYPE
        tar.addfile(pipe)
        newer = tarfile.TarInfo("twice.jpg")
        newer.size = 3
        tar.addfile(newer, io.BytesIO(b"new"))
    return tmp_path / "a.tar"


@pytest.fixture
def images(path: Path) -> Iterator[Images]:
    with TarRoot(path).images() as images:
        yield images


@pytest.mark.parametrize(
    ("image", "content"),
    [
        ("sub/a.jpg", b"image"),
        ("./sub/../sub//a.jpg", b"image"),
        (LONG, b"deep"),
        ("empty.jpg", b""),
        ("twice.jpg", b"new"),
    ],
)
def test_members_are_read_by_their_names(image: str, content: bytes, images: Images) -> None:
    assert images.read(image, max_pixels=1) == content
    assert images.exists(image)


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("/etc/absolute.jpg", "outside_root"),
        ("../outside.jpg", "outside_root"),
        ("sub/../../outside.jpg", "outside_root"),
        ("..", "outside_root"),
        ("etc/absolute.jpg", "missing_image"),
        ("outside.jpg", "missing_image"),
        ("gone.jpg", "missing_image"),
        ("sub", "missing_image"),
        ("", "missing_image"),
        ("a\0.jpg", "missing_image"),
        ("\ud800.jpg", "missing_image"),
        ("symbolic.jpg", "unreadable_image"),
        ("hard.jpg", "unreadable_image"),
        ("pipe.jpg", "unreadable_image"),
        ("large.jpg", "unreadable_image"),
    ],
)
def test_anything_else_is_refused_with_its_reason(
    image: str, reason: Reason, images: Images
) -> None:
    with pytest.raises(BadImage) as refusal:
        images.read(image, max_pixels=1)

    assert refusal.value.reason == reason


def test_sparse_member_is_no_plain_file(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse.jpg"
    with sparse.open("wb") as file:
        file.truncate(1 << 20)
        file.write(b"head")
    command = ["tar", "--sparse", "--format=gnu", "-C", str(tmp_path), "-cf"]
    assert os.spawnvp(os.P_WAIT, "tar", [*command, str(tmp_path / "s.tar"), "sparse.jpg"]) == 0

    with TarRoot(tmp_path / "s.tar").images() as images, pytest.raises(BadImage, match="link or"):
        images.read("sparse.jpg", max_pixels=1 << 20)


def test_names_are_relative_to_the_folder_in_the_tar_that_the_root_names(path: Path) -> None:
    with find_root(path / "sub").images() as images:
        assert images.read("a.jpg", max_pixels=1) == b"image"
        assert not images.exists("../rec.txt")
        with pytest.raises(BadImage, match="leads out of the root"):
            images.read("../large.jpg", max_pixels=1)


def test_label_file_lies_in_the_tar_or_beside_it(path: Path) -> None:
    root = TarRoot(path)
    (path.parent / "beside.txt").write_bytes(b"beside")

    for name, content in (("rec.txt", b"sub/a.jpg\tA\n"), ("beside.txt", b"beside")):
        with root.open_file(name) as file:
            assert file.read() == content
    with pytest.raises(ArtifactNotFound, match=r"no label file gone\.txt in .*a\.tar and none"):
        root.open_file("gone.txt")


def test_label_file_beside_the_tar_is_the_one_in_it_or_refused(path: Path) -> None:
    beside, root = path.parent / "rec.txt", TarRoot(path)
    beside.write_bytes(b"sub/a.jpg\tA\n")
    with root.open_file("rec.txt") as file:
        assert file.read() == b"sub/a.jpg\tA\n"

    beside.write_bytes(b"sub/a.jpg\tB\n")

    with pytest.raises(BadData, match=rf"{beside} is another one than rec\.txt in {path}, and"):
        root.open_file("rec.txt")


def test_a_changed_tar_is_read_anew_and_stamps_all_images_anew(path: Path) -> None:
    root = TarRoot(path)
    before = root.stamps()("sub/a.jpg")
    with root.images() as images:
        images.read("sub/a.jpg", max_pixels=1)

    write_tar(path, {"sub/a.jpg": b"other image", "more.jpg": bytes(20_000)})

    assert root.stamps()("sub/a.jpg") != before
    with root.images() as images:
        assert images.read("sub/a.jpg", max_pixels=1) == b"other image"


def member_of_size(size: int) -> bytes:
    header = bytearray(tarfile.TarInfo("a.jpg").tobuf())
    header[124:136] = size.to_bytes(12, "big", signed=True)
    header[124] |= 0x80  # a number of base 256
    header[148:156] = b"%06o\0 " % sum(header[:148], sum(header[156:512]) + 8 * 32)
    return bytes(header) * 2 + bytes(1024)


def with_shared_fields(count: int) -> bytes:
    return tarfile.TarInfo.create_pax_global_header({f"k{n}": "v" for n in range(count)})


def with_own_header(content: bytes) -> bytes:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, len(content)
    return header.tobuf() + content.ljust(-(-len(content) // 512) * 512, b"\0")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (gzip.compress, "run gunzip on it"),
        (lambda _: b"", "is no tar file"),
        (lambda _: b"PK\3\4" + bytes(5000), "is no tar file"),
        (lambda _: b"sub/a.jpg\tA\n" * 100, "is no tar file"),
        (lambda data: data[:1200], "or damaged"),
        (lambda data: data[:1024], "ends at byte 1024 without an end mark, cut off"),
        (lambda data: data[:1024] + b"\xff" * 512 + data[1536:], "no header at byte 1024"),
        (lambda data: data + data, r"another one begins at byte \d+, as cat .*--concatenate"),
        (lambda _: member_of_size(-1), "or damaged"),
        (lambda _: member_of_size(-1024), "or damaged"),
        (lambda _: member_of_size(-(1 << 80)), "or damaged"),
        (lambda _: member_of_size(1 << 60), "or damaged"),
        (lambda data: with_shared_fields(2000) + data, "more than 1000 fields for all members"),
        (lambda data: with_own_header(b"9" * 60_000) + data, "more than a thousand digits"),
    ],
)
def test_what_is_no_tar_is_one_error_with_the_fix(path: Path, damage: object, said: str) -> None:
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))

    with pytest.raises(BadData, match=said) as refusal, TarRoot(path).images():
        pass

    assert str(path) in str(refusal.value)


def test_what_fills_up_the_last_record_is_no_further_tar(path: Path) -> None:
    for filling in (bytes(30_000), bytes(512) + b"signed".ljust(512, b"\0")):
        path.write_bytes(path.read_bytes() + filling)

        with TarRoot(path).images() as images:
            assert images.read("sub/a.jpg", max_pixels=1)


def test_members_outside_the_root_are_listed_and_hidden_ones_are_not(tmp_path: Path) -> None:
    shown = ["a.jpg", "../../b.jpg", "../c.jpg", "/data/d.jpg", "sub/e.jpg"]
    hidden = ["._a.jpg", ".cache/a.jpg", "../.a.jpg", "/data/.a.jpg", "sub/._e.jpg"]
    path = write_tar(tmp_path / "a.tar", dict.fromkeys([*shown, *hidden], b"image"))

    assert sorted(TarRoot(path).list_files(".")) == sorted(shown)
    assert list(TarRoot(path, "sub").list_files(".")) == ["e.jpg"]


def test_fields_that_count_for_all_members_are_read(path: Path) -> None:
    path.write_bytes(with_shared_fields(3) + path.read_bytes())

    with TarRoot(path).images() as images:
        assert images.read("sub/a.jpg", max_pixels=1)


@pytest.fixture
def gbk(tmp_path: Path) -> Path:
    members = {"图片/车牌.png": b"image", "图片/图.png": b"other", "标签.txt": b"labels"}
    return write_tar(tmp_path / "g.tar", members, form=tarfile.GNU_FORMAT, encoding="gbk")


def test_names_of_gbk_are_read_with_their_encoding(gbk: Path) -> None:
    for root, start in ((find_root(gbk, encoding="gb18030"), "图片/"), (gbk / "图片", "")):
        if isinstance(root, Path):
            root = find_root(root, encoding="gb18030")
        with root.images() as images:
            assert images.read(f"{start}车牌.png", max_pixels=1) == b"image"
            assert images.read(f"{start}图.png", max_pixels=1) == b"other"

    root = find_root(gbk, encoding="gb18030")
    assert list(root.list_files(".")) == ["标签.txt", "图片/图.png", "图片/车牌.png"]
    with root.open_file("标签.txt") as file:
        assert file.read() == b"labels"


def test_names_of_gbk_that_are_utf8_too_are_what_was_said(tmp_path: Path) -> None:
    members = {"鲁A1.png": b"image", "豫B2.png": b"other"}
    path = write_tar(tmp_path / "g.tar", members, form=tarfile.GNU_FORMAT, encoding="gbk")

    assert set(find_root(path, encoding="gb18030").list_files(".")) == members.keys()


def test_names_of_another_encoding_are_refused_with_the_fix(gbk: Path, path: Path) -> None:
    root = find_root(gbk)

    for ask in (lambda: list(root.list_files(".")), lambda: root.open_file("标签.txt")):
        with pytest.raises(BadData, match=r"not utf-8 \(as GBK .*图片/车牌\.png.*convmv .* again"):
            ask()
    with find_root(path, encoding="gb18030").images() as images:  # its names are UTF-8
        assert images.read(LONG, max_pixels=1) == b"deep"
