"""The folder store under faults: killed writers, a full disk, a read-only disk, leftovers."""

import errno
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ocr.errors import BadData, StoreUnavailable
from ocr.store import Store, open_store
from tests.ocr.store.noise import write_noise
from tests.small_disk import small_disk

KEY = "datasets/plates/0f3a/shards/00000.tar"
ALIAS = "models/plates/aliases/champion.json"
STOPPED_WRITER = """
import sys
from pathlib import Path
from ocr.store import local, open_store

def stop(*args):
    print("stopped", flush=True)
    sys.stdin.read()

setattr(local, sys.argv[1], stop)
store = open_store(sys.argv[2])
if sys.argv[3] == "put":
    store.put_file("datasets/plates/0f3a/shards/00000.tar", Path(sys.argv[4]))
else:
    store.compare_and_swap(
        "models/plates/aliases/champion.json", b"new", expected=sys.argv[4] or None
    )
"""
PUT = """
import sys
from pathlib import Path
from ocr.errors import StoreUnavailable
from ocr.store import open_store
store = open_store(sys.argv[1])
store.put_bytes("before.txt", b"kept")
try:
    store.put_file("shards/00000.tar", Path(sys.argv[2]))
except StoreUnavailable as error:
    print(error)
print(*store.list(""), *(path.name for path in Path(sys.argv[1], ".incoming").iterdir()))
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


def kill_writer(at: str, store: Store, action: str, argument: str) -> None:
    """Start a writer, stop it when it calls `at`, and kill it there."""
    folder = store.uri.removeprefix("file://")
    command = [sys.executable, "-c", STOPPED_WRITER, at, folder, action, argument]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "stopped\n"
        writer.kill()


@pytest.mark.parametrize("at", ["make_durable", "_move"], ids=["written", "holding-the-lock"])
def test_a_writer_killed_before_the_end_leaves_nothing_to_see(
    store: Store, tmp_path: Path, at: str
) -> None:
    source = write_noise(tmp_path / "source", size=1000)

    kill_writer(at, store, "put", str(source))

    assert not store.exists(KEY)
    assert list(store.list("")) == []
    store.put_file(KEY, source)
    assert store.read_bytes(KEY) == source.read_bytes()


@pytest.mark.parametrize("at", ["make_durable", "_move"], ids=["written", "holding-the-lock"])
def test_a_swap_killed_before_the_end_changes_nothing(store: Store, at: str) -> None:
    tag = store.compare_and_swap(ALIAS, b"old", expected=None)

    kill_writer(at, store, "swap", tag)

    assert store.read_tagged(ALIAS) == (b"old", tag)
    store.compare_and_swap(ALIAS, b"newer", expected=tag)
    assert store.read_bytes(ALIAS) == b"newer"


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Let the kernel refuse to grow any file of this process beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_write_that_the_disk_refuses_leaves_nothing(store: Store, tmp_path: Path) -> None:
    source = write_noise(tmp_path / "source", size=2**20)

    with no_file_above(2**18), pytest.raises(StoreUnavailable, match="No space to write"):
        store.put_file(KEY, source)

    assert list(store.list("")) == []
    assert list((tmp_path / "store" / ".incoming").iterdir()) == []


def test_a_copy_that_the_disk_refuses_leaves_nothing(store: Store, tmp_path: Path) -> None:
    store.put_file(KEY, write_noise(tmp_path / "source", size=2**20))

    with no_file_above(2**18), pytest.raises(StoreUnavailable, match="copies/copy"):
        store.get_file(KEY, tmp_path / "copies" / "copy")

    assert list((tmp_path / "copies").iterdir()) == []


def test_a_full_disk_is_told_and_nothing_shows(tmp_path: Path) -> None:
    source = write_noise(tmp_path / "source", size=2 * 2**20)
    disk = small_disk(tmp_path / "disk", size_mb=1)
    command = [*disk, sys.executable, "-c", PUT, str(tmp_path / "disk" / "store"), str(source)]

    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    message, listing = told.splitlines()
    assert "No space to write" in message
    assert listing == "before.txt"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_store_can_be_read_and_says_why_not_written(
    store: Store, tmp_path: Path
) -> None:
    store.put_bytes(KEY, b"kept")
    folders = [tmp_path / "store", *(tmp_path / "store").rglob("*/")]
    for folder in folders:
        folder.chmod(0o500)

    with pytest.raises(StoreUnavailable, match="Permission denied"):
        store.put_bytes("other.txt", b"")

    assert store.read_bytes(KEY) == b"kept"
    for folder in folders:
        folder.chmod(0o700)


def test_a_file_where_the_store_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_bytes(b"")
    store = open_store(str(tmp_path / "store"))

    with pytest.raises(StoreUnavailable, match=f"{tmp_path}/store"):
        store.put_bytes(KEY, b"")

    assert not store.exists(KEY)


def test_what_killed_writers_left_is_swept_after_a_day(store: Store, tmp_path: Path) -> None:
    store.put_bytes(KEY, b"kept")
    incoming = tmp_path / "store" / ".incoming"
    old, fresh = (write_noise(incoming / name, size=10) for name in ("old", "fresh"))
    os.utime(old, (0, 0))

    open_store(str(tmp_path / "store"))

    assert list(incoming.iterdir()) == [fresh]
    assert store.read_bytes(KEY) == b"kept"


def test_names_that_are_no_keys_are_not_listed(store: Store, tmp_path: Path) -> None:
    store.put_bytes("a/b.txt", b"")
    (tmp_path / "store" / "a" / ".b.txt.swp").write_bytes(b"")
    (tmp_path / "store" / "empty" / "deeper").mkdir(parents=True)

    assert list(store.list("")) == ["a/b.txt"]
    assert list(store.folders("")) == ["a"]


def test_a_pipe_that_somebody_made_there_is_no_object(store: Store, tmp_path: Path) -> None:
    store.put_bytes("a/one.json", b"1")
    os.mkfifo(Path(store.uri.removeprefix("file://")) / "a" / "pipe.json")

    assert [entry.key for entry in store.entries("")] == ["a/one.json"]


def test_the_names_of_new_folders_are_durable_too(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    sync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    root = tmp_path / "store"
    store.put_bytes("models/plates/v1/manifest.json", b"")
    first, synced[:] = synced[1:], []

    store.put_bytes("models/plates/v1/card.md", b"")

    assert set(first) == {root / "models/plates/v1", root / "models/plates", root / "models", root}
    assert synced[1:] == [root / "models/plates/v1"]


def test_a_listing_names_the_folder_that_hinders_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put_bytes("models/plates/card.md", b"x")
    locked, read = tmp_path / "store" / "lost+found", Path.iterdir
    locked.mkdir()

    def iterdir(folder: Path) -> Iterator[Path]:
        if folder == locked:
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return read(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)

    with pytest.raises(StoreUnavailable, match=re.escape(f"{locked}: Permission denied")):
        list(store.entries(""))


def test_a_link_that_leads_back_is_not_walked(store: Store, tmp_path: Path) -> None:
    store.put_bytes("models/plates/card.md", b"x")
    (tmp_path / "store" / "models" / "itself").symlink_to("..")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.json").write_bytes(b"1")
    (tmp_path / "store" / "moved").symlink_to(tmp_path / "elsewhere")

    assert list(store.list("")) == ["models/plates/card.md", "moved/a.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a link to another user")
def test_a_link_of_another_user_is_not_followed(store: Store, tmp_path: Path) -> None:
    store.put_bytes("models/plates/card.md", b"x")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "a.json").write_bytes(b"secret")
    for link, target in (("models/x", "secrets"), ("models/plates/a.json", "secrets/a.json")):
        (tmp_path / "store" / link).symlink_to(tmp_path / target)
        os.chown(tmp_path / "store" / link, 12345, -1, follow_symlinks=False)

    refusals: tuple[Callable[[], object], ...] = (
        lambda: list(store.list("")),
        lambda: list(store.folders("models")),
        lambda: store.read_bytes("models/x/a.json"),
        lambda: store.get_file("models/plates/a.json", tmp_path / "copy"),
        lambda: store.put_bytes("models/x/b.json", b"written"),
        lambda: list(store.list("models/x")),
    )
    for refused in refusals:
        with pytest.raises(BadData, match="is a link of another user"):
            refused()
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["a.json"]


def test_a_pipe_in_place_of_an_object_is_not_waited_for(store: Store, tmp_path: Path) -> None:
    store.put_bytes("models/plates/card.md", b"x")
    os.mkfifo(tmp_path / "store" / "models" / "plates" / "pipe.json")

    with pytest.raises(BadData, match="is a pipe or a device"):
        store.read_bytes("models/plates/pipe.json")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a link to another user")
@pytest.mark.parametrize("name", [".incoming", ".lock"])
def test_nothing_is_swept_or_written_through_a_link_of_another_user(
    name: str, tmp_path: Path
) -> None:
    old = tmp_path / "elsewhere" / "thesis.txt"
    old.parent.mkdir()
    old.write_bytes(b"x")
    os.utime(old, (0, 0))
    link = tmp_path / "store" / name
    link.parent.mkdir()
    link.symlink_to(old.parent if name == ".incoming" else tmp_path / "elsewhere" / "lock")
    os.chown(link, 12345, -1, follow_symlinks=False)

    with pytest.raises(BadData, match="is a link of another user"):
        open_store(str(tmp_path / "store")).put_bytes("a.json", b"1")

    assert list(old.parent.iterdir()) == [old]
