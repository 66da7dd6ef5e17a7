"""Images in a bucket, of moto's server and of a real MinIO one."""

import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest

from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Reason
from ocr.dataset.roots import StoreRoot
from ocr.errors import ArtifactNotFound, BadInput, StoreUnavailable
from ocr.image.pixels import BadImage
from ocr.store import S3Credentials, open_store
from ocr.store.protocol import Entry
from tests.ocr.store.conftest import minio_server, moto_server

__all__ = ["minio_server", "moto_server"]


@pytest.fixture(params=["moto", "minio"])
def root(request: pytest.FixtureRequest) -> StoreRoot:
    server = request.getfixturevalue(f"{request.param}_server")
    root = StoreRoot(f"s3://roots-{uuid.uuid4().hex}/scans", server)
    store = open_store(root.uri, s3=server)
    store.put_bytes("sub/图 1.jpg", b"image")
    store.put_bytes("large.jpg", bytes(2 << 20))
    store.put_bytes("empty.jpg", b"")
    store.put_bytes("rec.txt", b"sub/a.jpg\tA\n")
    return root


def read_image(root: StoreRoot) -> bytes:
    with root.images() as images:
        return images.read("sub/图 1.jpg", max_pixels=1)


def test_objects_are_read_by_their_names(root: StoreRoot) -> None:
    with root.images() as images:
        assert images.read("./sub/../sub/图 1.jpg", max_pixels=1) == b"image"
        assert images.read("empty.jpg", max_pixels=1) == b""
        assert images.exists("empty.jpg")
        assert not images.exists("gone.jpg")
        assert not images.exists("../scans/empty.jpg")


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("/etc/hostname", "outside_root"),
        ("../scans/empty.jpg", "outside_root"),
        ("gone.jpg", "missing_image"),
        ("sub//图 1.jpg", "missing_image"),
        ("sub\\\\图 1.jpg", "missing_image"),
        ("sub", "missing_image"),
        ("", "missing_image"),
        ("a\0.jpg", "missing_image"),
        ("\ud800.jpg", "missing_image"),
        ("large.jpg", "unreadable_image"),
    ],
)
def test_anything_else_is_refused_with_its_reason(
    image: str, reason: Reason, root: StoreRoot
) -> None:
    with root.images() as images, pytest.raises(BadImage) as refusal:
        images.read(image, max_pixels=1)

    assert refusal.value.reason == reason


def test_forked_processes_have_connections_of_their_own(root: StoreRoot) -> None:
    assert read_image(root) == b"image"

    with ProcessPool(2) as pool:
        assert list(pool.map_in_order(read_image, [root] * 20)) == [b"image"] * 20


def test_label_files_lie_in_the_bucket_or_on_this_machine(root: StoreRoot, tmp_path: Path) -> None:
    with root.open_file("rec.txt") as file:
        assert file.read() == b"sub/a.jpg\tA\n"
    (tmp_path / "own.txt").write_bytes(b"own")
    with root.open_file(str(tmp_path / "own.txt")) as file:
        assert file.read() == b"own"

    for absent in ("gone.txt", "no-suffix", str(tmp_path / "gone.txt")):
        with pytest.raises(ArtifactNotFound, match="no label file"):
            root.open_file(absent)

    nowhere = StoreRoot("s3://misspelt-bucket/may", root.s3)
    with pytest.raises(ArtifactNotFound, match="there is no bucket 'misspelt-bucket'"):
        nowhere.open_file("rec.txt")
    with pytest.raises(BadInput, match="misspelt-bucket/may: there is no such bucket on "):
        next(nowhere.list_files("."))
    assert not list(StoreRoot(f"{root.uri}/empty", root.s3).list_files("."))


def test_stamp_changes_with_any_object(root: StoreRoot) -> None:
    before = root.stamps()("empty.jpg")
    assert before == root.stamps()("empty.jpg")

    open_store(root.uri, s3=root.s3).put_bytes("more.jpg", b"more")

    assert root.stamps()("empty.jpg") != before


def test_stamp_changes_with_an_older_version_that_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    newest = Entry("b.jpg", 5, 20.0, "b")
    listings = [Entry("a.jpg", 5, 10.0, "spoilt"), newest], [newest, Entry("a.jpg", 5, 1.0, "good")]
    stores = iter([SimpleNamespace(entries=lambda _, found=found: found) for found in listings])
    monkeypatch.setattr("ocr.dataset.roots.store_root._open_store", lambda *_: next(stores))
    root = StoreRoot("s3://bucket/scans", S3Credentials("", "", ""))

    assert root.stamps()("a.jpg") != root.stamps()("a.jpg")


def test_servers_that_cannot_be_asked_are_told_from_absent_images() -> None:
    nobody = StoreRoot("s3://bucket/scans", S3Credentials("127.0.0.1:9", "key", "secret"))
    keyless = StoreRoot("s3://bucket/scans", S3Credentials("", "", ""))

    with pytest.raises(StoreUnavailable):
        read_image(nobody)
    for ask in (read_image, lambda root: root.open_file("rec.txt")):
        with pytest.raises(BadInput, match=r"^Store .* needs MINIO_ENDPOINT"):
            ask(keyless)


def test_keys_with_an_empty_part_are_listed_and_folders_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = ["a.jpg", "/b.jpg", "sub//c.jpg", "sub/", "sub/.d.jpg"]
    store = SimpleNamespace(list=lambda _: keys)
    monkeypatch.setattr("ocr.dataset.roots.store_root._open_store", lambda *_: store)
    root = StoreRoot("s3://bucket/scans", S3Credentials("", "", ""))

    assert sorted(root.list_files(".")) == ["/b.jpg", "a.jpg", "sub//c.jpg"]


def test_keys_in_the_address_are_never_shown() -> None:
    root = StoreRoot("s3://akey:hidden@bucket/scans", S3Credentials("127.0.0.1:9", "key", "secret"))

    with pytest.raises(BadInput) as refusal:
        root.open_file("rec.txt")

    assert "hidden" not in str(refusal.value)
