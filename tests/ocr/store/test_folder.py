"""Whole folders in and out: the manifest last, nothing half, everything verified."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.errors import ArtifactExists, ArtifactNotFound, BadData, BadInput
from ocr.store import Store, open_store
from ocr.store.folder import (
    download_folder,
    download_published,
    find_published,
    publish_folder,
    seal_folder,
    upload_folder,
)

PREFIX = "models/plates/v1"
FILES = {"card.md": b"# plates", "onnx/model.onnx": b"weights", "golden/inputs/000.png": b"image"}


@pytest.fixture
def local(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


def write_bundle(folder: Path, files: dict[str, bytes] = FILES) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    (folder / "manifest.json").write_text(json.dumps({"files": digests}))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_folder_comes_back_as_it_went(store: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")

    upload_folder(store, bundle, prefix=PREFIX)
    copy = download_folder(store, prefix=PREFIX, folder=tmp_path / "cache" / "copy")

    assert contents(copy) == contents(bundle)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["copy"]


def test_the_manifest_is_uploaded_last(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    local.put_bytes(f"{PREFIX}/onnx/model.onnx", b"other weights")

    with pytest.raises(ArtifactExists):
        upload_folder(local, bundle, prefix=PREFIX)

    assert not local.exists(f"{PREFIX}/manifest.json")
    with pytest.raises(ArtifactNotFound):
        download_folder(local, prefix=PREFIX, folder=tmp_path / "copy")


def test_an_upload_that_was_cut_short_continues(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    local.put_bytes(f"{PREFIX}/card.md", FILES["card.md"])

    upload_folder(local, bundle, prefix=PREFIX)
    upload_folder(local, bundle, prefix=PREFIX)

    assert len(list(local.list(PREFIX))) == len(FILES) + 1


def test_a_folder_without_its_manifest_is_not_uploaded(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    (bundle / "manifest.json").unlink()

    with pytest.raises(BadInput, match=r"holds no manifest\.json"):
        upload_folder(local, bundle, prefix=PREFIX)

    assert list(local.list("")) == []


@pytest.mark.parametrize("name", [".hidden.txt", "LICENSE"])
def test_a_name_that_is_no_key_is_refused_before_anything_is_uploaded(
    local: Store, tmp_path: Path, name: str
) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    (bundle / name).write_bytes(b"")

    with pytest.raises(BadInput, match=name):
        upload_folder(local, bundle, prefix=PREFIX)

    assert list(local.list("")) == []


def test_a_link_is_refused(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    (bundle / "secrets.txt").symlink_to("/etc/passwd")

    with pytest.raises(BadInput, match="is a link"):
        upload_folder(local, bundle, prefix=PREFIX)


def test_a_complete_copy_is_returned_at_once(local: Store, tmp_path: Path) -> None:
    upload_folder(local, write_bundle(tmp_path / "bundle"), prefix=PREFIX)
    copy = download_folder(local, prefix=PREFIX, folder=tmp_path / "copy")

    nowhere = open_store(str(tmp_path / "nowhere"))

    assert download_folder(nowhere, prefix=PREFIX, folder=copy) == copy


def test_only_what_the_manifest_names_is_copied(local: Store, tmp_path: Path) -> None:
    upload_folder(local, write_bundle(tmp_path / "bundle"), prefix=PREFIX)
    local.put_bytes(f"{PREFIX}/stray.bin", b"not of this bundle")

    copy = download_folder(local, prefix=PREFIX, folder=tmp_path / "copy")

    assert not (copy / "stray.bin").exists()


def test_a_manifest_without_digests_brings_every_file(local: Store, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.json").write_text("{}")
    (tmp_path / "report" / "report.html").write_text("<html>")
    upload_folder(local, tmp_path / "report", prefix="reports/1", last="report.json")

    copy = download_folder(local, prefix="reports/1", folder=tmp_path / "c", last="report.json")

    assert contents(copy) == contents(tmp_path / "report")


def test_a_damaged_file_is_named_and_leaves_no_copy(local: Store, tmp_path: Path) -> None:
    upload_folder(local, write_bundle(tmp_path / "bundle"), prefix=PREFIX)
    (tmp_path / "store" / PREFIX / "onnx" / "model.onnx").write_bytes(b"bit rot")

    with pytest.raises(BadData, match=r"model\.onnx is damaged"):
        download_folder(local, prefix=PREFIX, folder=tmp_path / "cache" / "copy")

    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize(
    ("manifest", "error"),
    [
        (b"not json", BadData),
        (b"[]", BadData),
        (b'{"files": ["a.txt"]}', BadData),
        (b'{"files": {"a.txt": 1}}', BadData),
        (b'{"files": {"../../escape.txt": "0"}}', BadInput),
        (b'{"files": {"gone.txt": "0"}}', ArtifactNotFound),
    ],
)
def test_a_manifest_that_lies_is_refused(
    local: Store, tmp_path: Path, manifest: bytes, error: type[Exception]
) -> None:
    local.put_bytes(f"{PREFIX}/manifest.json", manifest)

    with pytest.raises(error):
        download_folder(local, prefix=PREFIX, folder=tmp_path / "cache" / "copy")

    assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_in_the_way_is_named_and_kept(local: Store, tmp_path: Path) -> None:
    upload_folder(local, write_bundle(tmp_path / "bundle"), prefix=PREFIX)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine.txt").write_text("mine")

    with pytest.raises(ArtifactExists, match="in the way"):
        download_folder(local, prefix=PREFIX, folder=tmp_path / "copy")

    assert contents(tmp_path / "copy") == {"mine.txt": b"mine"}


def test_sealed_folder_is_verified_when_it_is_copied(tmp_path: Path) -> None:
    folder, store = tmp_path / "made", open_store(str(tmp_path / "store"))
    folder.mkdir()
    (folder / "weights.npz").write_bytes(b"weights")
    seal_folder(folder)
    upload_folder(store, folder, prefix="checkpoints/c")

    copy = download_folder(store, prefix="checkpoints/c", folder=tmp_path / "copy")
    (tmp_path / "store" / "checkpoints" / "c" / "weights.npz").write_bytes(b"other")

    assert (copy / "weights.npz").read_bytes() == b"weights"
    with pytest.raises(BadData):
        download_folder(store, prefix="checkpoints/c", folder=tmp_path / "second")


def test_what_is_published_is_found_by_its_key(store: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    assert find_published(store, key=PREFIX) is None

    prefix = publish_folder(store, bundle, key=PREFIX)
    copy = download_folder(store, prefix=prefix, folder=tmp_path / "copy")

    assert find_published(store, key=PREFIX) == prefix
    assert prefix.startswith(f"{PREFIX}/")
    assert contents(copy) == contents(bundle)


def test_half_an_upload_of_another_machine_blocks_nobody(local: Store, tmp_path: Path) -> None:
    theirs = write_bundle(tmp_path / "theirs", {**FILES, "onnx/model.onnx": b"their weights"})
    _publish_half(local, theirs)

    prefix = publish_folder(local, write_bundle(tmp_path / "ours"), key=PREFIX)

    assert find_published(local, key=PREFIX) == prefix
    assert local.read_bytes(f"{prefix}/onnx/model.onnx") == FILES["onnx/model.onnx"]


def test_a_publication_that_was_cut_short_continues(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    _publish_half(local, bundle)
    assert find_published(local, key=PREFIX) is None

    prefix = publish_folder(local, bundle, key=PREFIX)

    assert [key.rpartition("/")[2] for key in local.list(prefix)].count("card.md") == 1
    assert len(list(local.list(PREFIX))) == len(FILES) + 2


def test_a_published_folder_is_downloaded_whole_and_once(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    prefix = publish_folder(local, bundle, key=PREFIX)
    copy = download_published(local, prefix=prefix, folder=tmp_path / "copy")
    before = (copy / "onnx/model.onnx").stat().st_ino

    download_published(local, prefix=prefix, folder=copy)

    assert contents(copy) == contents(bundle)
    assert (copy / "onnx/model.onnx").stat().st_ino == before


def test_a_copy_of_what_was_pruned_is_not_taken_for_what_has_its_name_now(
    local: Store, tmp_path: Path
) -> None:
    old = publish_folder(local, write_bundle(tmp_path / "old"), key=PREFIX)
    download_published(local, prefix=old, folder=tmp_path / "copy")
    for key in list(local.list(PREFIX)):
        local.remove(key)
    files = {**FILES, "onnx/model.onnx": b"other weights"}
    bundle = write_bundle(tmp_path / "new", files)
    new = publish_folder(local, bundle, key=PREFIX)

    copy = download_published(local, prefix=new, folder=tmp_path / "copy")

    assert contents(copy) == contents(bundle)


@pytest.mark.parametrize(
    "change",
    [
        lambda copy: (copy / "onnx/model.onnx").write_bytes(b"other weights"),
        lambda copy: (copy / "onnx/model.onnx").unlink(),
        lambda copy: (copy / ".DS_Store").touch(),
        lambda copy: os.mkfifo(copy / "pipe"),
        lambda copy: (copy / "link").symlink_to("card.md"),
    ],
    ids=["changed", "gone", "added", "a pipe", "a link"],
)
def test_a_copy_that_was_changed_is_fetched_anew(
    local: Store, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    prefix = publish_folder(local, bundle, key=PREFIX)
    copy = download_published(local, prefix=prefix, folder=tmp_path / "copy")
    change(copy)

    download_published(local, prefix=prefix, folder=copy)

    assert contents(copy) == contents(bundle)


def test_the_first_to_publish_counts(local: Store, tmp_path: Path) -> None:
    theirs = write_bundle(tmp_path / "theirs", {**FILES, "onnx/model.onnx": b"their weights"})
    prefix = publish_folder(local, theirs, key=PREFIX)

    again = publish_folder(local, write_bundle(tmp_path / "ours"), key=PREFIX)

    assert again == find_published(local, key=PREFIX) == prefix
    assert len(list(local.list(PREFIX))) == len(FILES) + 2


@pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b'{"prefix": 7}', b'{"prefix": "a//b"}'])
def test_a_damaged_publication_is_named(local: Store, damage: bytes) -> None:
    local.put_bytes(f"{PREFIX}/published.json", damage)

    with pytest.raises(BadData, match=r"v1/published\.json names no prefix"):
        find_published(local, key=PREFIX)


def _publish_half(store: Store, folder: Path) -> None:
    prefix = f"{PREFIX}/{hashlib.sha256((folder / 'manifest.json').read_bytes()).hexdigest()[:16]}"
    store.put_file(f"{prefix}/onnx/model.onnx", folder / "onnx/model.onnx")
