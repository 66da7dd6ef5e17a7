"""A store into an archive and back, while others write to it and remove from it."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ocr.backup.contents import choose_contents
from ocr.backup.head import Head
from ocr.backup.objects import IN_MEMORY, copy_objects, restore_object
from ocr.backup.reading import ArchiveReader
from ocr.backup.writing import new_archive
from ocr.dataset.row_list import digest_of, keep_rows, newest_snapshot, read_rows_of
from ocr.errors import ArtifactExists, StoreUnavailable
from ocr.models.registry import Registry
from ocr.retention.removal import remove_thing
from ocr.retention.things import find_things
from ocr.store import S3Credentials, Store
from ocr.store.local import LocalStore
from ocr.store.protocol import Entry
from tests.ocr.backup.archives import verify, write
from tests.ocr.retention.filled import fill, register
from tests.ocr.store.by_hand import put_by_hand
from tests.ocr.store.conftest import (
    backend,
    credentials,
    minio_server,
    moto_server,
    store,
    store_uri,
)

__all__ = ["backend", "credentials", "minio_server", "moto_server", "store", "store_uri"]


def save(store: Store, path: Path) -> Path:
    contents = choose_contents(store)
    size = contents.size + (1 << 20)
    head = Head(contents.files, size, release="", created="2026-11-24", database="", secrets=False)
    with new_archive(path, head) as archive:
        for _ in copy_objects(store, contents, archive):
            pass
    return path


def load(path: Path, store: Store) -> Store:
    reader = ArchiveReader(path)
    verify(reader)
    for member in reader.members():
        key = member.name.removeprefix("store/")
        restore_object(store, key, member, spool=path.with_suffix(".spool"))
    return store


def content(store: Store) -> dict[str, bytes]:
    return {key: store.read_bytes(key) for key in store.list("")}


def test_a_store_comes_back_as_it_was(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path / "bundles")
    large = bytes(range(256)) * ((2 * IN_MEMORY + 1000) // 256)
    store.put_bytes("datasets/plates/large/0.bin", large)
    before = content(store)

    restored = load(save(store, tmp_path / "a.tar.zst"), LocalStore(tmp_path / "restored"))

    assert content(restored) == before
    assert Registry(restored).resolve("plates").version == "second"


def test_what_something_else_put_into_a_store_is_left_out_by_name(
    store: Store, store_uri: str, credentials: S3Credentials | None, tmp_path: Path
) -> None:
    fill(store, tmp_path / "bundles")
    before = content(store)
    names = ("README", "models/plates/aliases/a copy", "models/plates.bak/notes.txt")
    for name in names:
        put_by_hand(store_uri, name, credentials=credentials)

    restored = load(save(store, tmp_path / "a.tar.zst"), LocalStore(tmp_path / "restored"))

    assert content(restored) == before
    assert choose_contents(store).foreign == tuple(sorted(names))


def test_the_rows_that_are_newest_are_in_a_backup_though_others_come_meanwhile(
    tmp_path: Path,
) -> None:
    store = LocalStore(tmp_path / "source")
    first, second = (np.arange(count, dtype=np.uint64) for count in (3, 5))
    keep_rows(store, first, name="plates", snapshot=digest_of(first))
    contents = choose_contents(store)
    keep_rows(store, second, name="plates", snapshot=digest_of(second))
    head = Head(
        contents.files, 1 << 20, release="", created="2026-11-24", database="", secrets=False
    )
    with new_archive(tmp_path / "a.tar.zst", head) as archive:
        list(copy_objects(store, contents, archive))

    restored = load(tmp_path / "a.tar.zst", LocalStore(tmp_path / "restored"))

    newest = newest_snapshot(restored, name="plates")
    assert newest == digest_of(first)
    assert read_rows_of(restored, name="plates", snapshot=newest) is not None


def test_a_store_of_any_kind_takes_a_backup(store: Store, tmp_path: Path) -> None:
    source = LocalStore(tmp_path / "source")
    fill(source, tmp_path / "bundles")

    path = save(source, tmp_path / "a.tar.zst")
    once = content(load(path, store))
    again = content(load(path, store))

    assert once == again == content(source)


def test_an_alias_that_points_elsewhere_is_left(tmp_path: Path) -> None:
    source, target = LocalStore(tmp_path / "source"), LocalStore(tmp_path / "target")
    fill(source, tmp_path / "bundles")
    path = save(source, tmp_path / "a.tar.zst")
    load(path, target)
    Registry(target).rollback("plates", reason="by hand")

    with pytest.raises(ArtifactExists, match="points elsewhere already"):
        load(path, target)

    assert Registry(target).resolve("plates").version == "first"


def test_what_names_something_comes_after_it(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "store")
    fill(store, tmp_path / "bundles")

    reader = ArchiveReader(save(store, tmp_path / "a.tar.zst"))
    verify(reader)
    names = [member.name for member in reader.members()]

    first_pointer = names.index("store/checkpoints/kept/published.json")
    first_alias = names.index("store/models/pages/aliases/champion.json")
    assert names.index("store/models/plates/second/" + pointed(store)) < first_pointer
    assert names.index("store/models/plates/second/published.json") < first_alias
    assert first_alias == len(names) - 3
    assert names[-1] == "store/rows/plates/newest.json"


def pointed(store: Store) -> str:
    said = json.loads(store.read_bytes("models/plates/second/published.json"))
    return str(said["prefix"]).removeprefix("models/plates/second/") + "/manifest.json"


class _Listing(LocalStore):
    """A store in which a version comes in the middle of a listing, the n-th from now on."""

    late_in = 0

    def entries(self, prefix: str) -> Iterator[Entry]:
        listed = list(super().entries(prefix))
        yield from listed
        self.late_in -= 1
        if self.late_in == 0:
            register(self, self._root.parent / "late", "late:1")
            Registry(self).promote("late", "1", reason="meanwhile")
            # What a listing sees that had passed the folder of the content already.
            yield Entry("models/late/1/published.json", size=1, modified=0)


def test_a_version_that_comes_while_the_store_is_listed_is_whole_and_no_champion(
    tmp_path: Path,
) -> None:
    store = _Listing(tmp_path / "store")
    fill(store, tmp_path / "bundles")
    store.late_in = 1

    restored = load(save(store, tmp_path / "a.tar.zst"), LocalStore(tmp_path / "restored"))

    registry = Registry(restored)
    assert registry.champion("late") is None
    assert registry.version("late", "1").manifest["name"] == "late"
    registry.download(registry.version("late", "1"), tmp_path / "downloaded")


def test_a_version_whose_content_the_last_listing_missed_is_left_out_whole(tmp_path: Path) -> None:
    store = _Listing(tmp_path / "store")
    fill(store, tmp_path / "bundles")
    store.late_in = 2

    restored = load(save(store, tmp_path / "a.tar.zst"), LocalStore(tmp_path / "restored"))

    assert Registry(store).has_version("late", "1")
    assert list(restored.list("models/late")) == []


class _Pruned(LocalStore):
    """A store of which something is removed once the copy has begun."""

    prefix = ""

    def read_start(self, key: str, *, size: int) -> bytes:
        prefix, self.prefix = self.prefix, ""
        for thing in list(find_things(self)) if prefix else ():
            if thing.prefix == prefix:
                remove_thing(self, thing, before=time.time() + 60)
        return super().read_start(key, size=size)


def test_what_is_pruned_meanwhile_is_left_out_whole(tmp_path: Path) -> None:
    store = _Pruned(tmp_path / "store")
    fill(store, tmp_path / "bundles")
    store.prefix = "models/plates/tried"

    restored = load(save(store, tmp_path / "a.tar.zst"), LocalStore(tmp_path / "restored"))

    assert not Registry(restored).has_version("plates", "tried")
    assert Registry(restored).resolve("plates").version == "second"


def test_every_alias_resolves_in_backups_made_during_promotions(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "store")
    fill(store, tmp_path / "bundles")
    done = threading.Event()
    promoted = list[str]()
    writer = threading.Thread(target=keep_promoting, args=(store, tmp_path, done, promoted))
    writer.start()
    try:
        paths = list[Path]()
        for number in range(6):
            wait_for(promoted, more=len(promoted) + 2)
            paths.append(save(store, tmp_path / f"{number}.tar.zst"))
    finally:
        done.set()
        writer.join()

    for path in paths:
        registry = Registry(load(path, LocalStore(path.with_suffix(".store"))))
        for name in registry.names():
            for version in registry.versions(name):
                folder = path.with_suffix(".bundles") / name / version
                registry.download(registry.version(name, version), folder)
        for name in ("plates", "pages", "busy"):
            assert registry.resolve(f"{name}@champion")
    assert len(promoted) > len(paths)


def keep_promoting(store: Store, folder: Path, done: threading.Event, promoted: list[str]) -> None:
    for number in range(10_000):
        if done.is_set():
            return
        register(store, folder / "busy", f"busy:{number}")
        Registry(store).promote("busy", str(number), reason="the next")
        promoted.append(str(number))


def wait_for(promoted: list[str], *, more: int) -> None:
    ready = threading.Event()
    while len(promoted) < more:
        ready.wait(0.005)


def test_a_full_disk_under_an_object_on_its_way_is_named(tmp_path: Path) -> None:
    reader = ArchiveReader(write(tmp_path / "a.tar.zst", {"store/a/b.tar": bytes(IN_MEMORY + 1)}))
    verify(reader)
    members = reader.members()
    member = next(members)

    with pytest.raises(StoreUnavailable, match=r"^No space to write /dev/full; free some or use"):
        restore_object(LocalStore(tmp_path), "a/b.tar", member, spool=Path("/dev/full"))
