"""A copy of a published folder that was changed: several fetch it anew at once, or are killed."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from ocr.errors import ArtifactNotFound
from ocr.store import Store, open_store
from ocr.store.folder import download_published, publish_folder
from tests.ocr.store.test_folder import PREFIX, contents, write_bundle

FILE = "onnx/model.onnx"
AT_ONCE = 3


@pytest.fixture
def local(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


def test_several_at_once_all_get_what_the_store_has(local: Store, tmp_path: Path) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    prefix = publish_folder(local, bundle, key=PREFIX)
    copy = download_published(local, prefix=prefix, folder=tmp_path / "copy")
    start = Barrier(AT_ONCE)

    def fetch(_: int) -> dict[str, bytes]:
        start.wait()
        return contents(download_published(local, prefix=prefix, folder=copy))

    for _ in range(20):
        (copy / FILE).write_bytes(b"other weights")
        with ThreadPoolExecutor(AT_ONCE) as threads:
            assert list(threads.map(fetch, range(AT_ONCE))) == [contents(bundle)] * AT_ONCE
    assert not list(tmp_path.glob(".*.part"))


def test_who_is_killed_over_it_leaves_nothing_in_the_way(
    local: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    prefix = publish_folder(local, bundle, key=PREFIX)
    copy = download_published(local, prefix=prefix, folder=tmp_path / "copy")
    (copy / FILE).unlink()

    def be_killed(folder: Path, **_: bool) -> None:
        if (folder / "manifest.json").exists():
            (folder / "manifest.json").unlink()
            raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(shutil, "rmtree", be_killed)
        with pytest.raises(KeyboardInterrupt):
            download_published(local, prefix=prefix, folder=copy)

    assert contents(download_published(local, prefix=prefix, folder=copy)) == contents(bundle)


def test_what_cannot_be_fetched_leaves_the_copy_as_it_is(local: Store, tmp_path: Path) -> None:
    prefix = publish_folder(local, write_bundle(tmp_path / "bundle"), key=PREFIX)
    copy = download_published(local, prefix=prefix, folder=tmp_path / "copy")
    (copy / FILE).write_bytes(b"other weights")
    before = contents(copy)
    local.remove(f"{prefix}/{FILE}")

    with pytest.raises(ArtifactNotFound):
        download_published(local, prefix=prefix, folder=copy)

    assert contents(copy) == before


def test_a_link_in_its_place_is_replaced_and_what_it_leads_to_stays(
    local: Store, tmp_path: Path
) -> None:
    bundle = write_bundle(tmp_path / "bundle")
    prefix = publish_folder(local, bundle, key=PREFIX)
    moved = download_published(local, prefix=prefix, folder=tmp_path / "moved")
    (moved / FILE).write_bytes(b"other weights")
    before = contents(moved)
    (tmp_path / "copy").symlink_to(moved)

    copy = download_published(local, prefix=prefix, folder=tmp_path / "copy")

    assert contents(copy) == contents(bundle)
    assert contents(moved) == before
