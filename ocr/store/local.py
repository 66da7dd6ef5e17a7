"""The embedded store: a folder on this machine, safe for many threads and processes."""

# ruff: noqa: D102  (the methods are described in Store)
import fcntl
import hashlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from ocr.errors import (
    AliasMoved,
    ArtifactExists,
    ArtifactNotFound,
    BadData,
    BadInput,
    OcrError,
    StoreUnavailable,
)
from ocr.store.key import SUFFIX, check_key, check_prefix, is_folder
from ocr.store.protocol import SMALL_BYTES, Entry
from ocr.store.whole import (
    fault_message,
    make_durable,
    read_all,
    sha256_of,
    sync_folder,
    written_whole,
)

ABANDONED_S = 24 * 3600  # an incoming file nobody has written to for a day has no writer


class LocalStore:
    """A store in a folder: `root/key` is the object, hidden names are ours.

    An object is written beside the keys, made durable, then renamed to its key under one lock.
    The lock is the kernel's (flock): it ends with its holder, however that dies. A part of a store
    may be a link to another disk, which counts only if who uses the store made it, or root.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self.uri = f"file://{self._root}"
        self._incoming = self._own(".incoming")
        self._sweep()

    def is_there(self) -> bool:
        return self._root.is_dir()

    def put_bytes(self, key: str, data: bytes) -> None:
        self._put(
            key,
            write=lambda part: part.write_bytes(data),
            digest=lambda: hashlib.sha256(data).hexdigest(),
        )

    def put_file(self, key: str, path: Path) -> None:
        if not path.is_file():
            raise BadInput(f"No file to store as {key!r} at {path}")
        self._put(
            key,
            write=lambda part: shutil.copyfile(path, part),
            digest=lambda: sha256_of(path),
        )

    def read_bytes(self, key: str, *, most: int = SMALL_BYTES) -> bytes:
        with self._reading(key) as file:
            return read_all(file, most=most, name=f"{self.uri}/{key}")

    def read_start(self, key: str, *, size: int) -> bytes:
        with self._reading(key) as file:
            return file.read(size)

    def read_range(self, key: str, *, offset: int, size: int) -> bytes:
        if offset < 0 or size < 1:
            raise BadInput(f"Range of {size} bytes at {offset}: expected size >= 1, offset >= 0")
        with self._reading(key) as file:
            file.seek(offset)
            data = file.read(size)
        if len(data) != size:
            raise BadInput(f"{self.uri}/{key} ends before byte {offset + size}")
        return data

    def get_file(self, key: str, path: Path) -> None:
        with self._reading(key) as source, written_whole(path) as file:
            shutil.copyfileobj(source, file)

    def exists(self, key: str) -> bool:
        with self._faults(key):
            return self._path(key).is_file()

    def list(self, prefix: str) -> Iterator[str]:
        folder = self._own(check_prefix(prefix))
        with self._faults(prefix):
            yield from sorted(path.relative_to(self._root).as_posix() for path in _files(folder))

    def entries(self, prefix: str) -> Iterator[Entry]:
        folder = self._own(check_prefix(prefix))
        with self._faults(prefix):
            for path in _files(folder):
                with suppress(FileNotFoundError):  # removed meanwhile
                    stat = path.stat()
                    key = path.relative_to(self._root).as_posix()
                    yield Entry(key, size=stat.st_size, modified=stat.st_mtime)

    def remove(self, key: str) -> None:
        path = self._path(key)
        with self._faults(key):
            if not path.is_file():
                return
            with self._locked():
                path.unlink(missing_ok=True)
                with suppress(OSError):  # the first folder that is not empty
                    for folder in path.relative_to(self._root).parents[:-1]:
                        (self._root / folder).rmdir()

    def folders(self, prefix: str) -> Iterator[str]:
        folder = self._own(check_prefix(prefix))
        with self._faults(prefix):
            names = sorted(path.name for path in _visible(folder) if path.is_dir())
            yield from (name for name in names if is_folder(name) and any(_files(folder / name)))

    def read_tagged(self, key: str, *, most: int = SMALL_BYTES) -> tuple[bytes, str]:
        data = self.read_bytes(key, most=most)
        return data, hashlib.sha256(data).hexdigest()

    def compare_and_swap(self, key: str, data: bytes, *, expected: str | None) -> str:
        path = self._path(key)
        with (
            self._faults(key),
            self._staged(lambda part: part.write_bytes(data)) as part,
            self._locked(),
        ):
            found = sha256_of(path) if path.is_file() else None
            if found != expected:
                raise AliasMoved(f"{self.uri}/{key} was changed by somebody else; read it again")
            _move(part, path)
        return hashlib.sha256(data).hexdigest()

    def _put(self, key: str, *, write: Callable[[Path], object], digest: Callable[[], str]) -> None:
        path = self._path(key)
        with self._faults(key):
            if not path.is_file() and self._claim(path, write=write):
                return
            if sha256_of(path) != digest():
                raise ArtifactExists(f"{self.uri}/{key} holds other content; keys are immutable")

    def _claim(self, path: Path, *, write: Callable[[Path], object]) -> bool:
        with self._staged(write) as part, self._locked():
            if path.is_file():  # another writer was faster
                return False
            _move(part, path)
            return True

    def _path(self, key: str) -> Path:
        return self._own(check_key(key))

    def _own(self, name: str) -> Path:
        """Return where a name of the store is, unless somebody else lets it lead elsewhere."""
        path = self._root / name
        with self._faults(name):
            for each in takewhile(lambda each: each != self._root, (path, *path.parents)):
                _refuse_foreign_link(each)
        return path

    @contextmanager
    def _staged(self, write: Callable[[Path], object]) -> Iterator[Path]:
        part = self._own(".incoming") / uuid4().hex
        part.parent.mkdir(parents=True, exist_ok=True)
        try:
            write(part)
            with part.open("rb") as file:
                make_durable(file)
            yield part
        finally:
            part.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with open(self._own(".lock"), "ab", opener=_open_without_waiting) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # closing is not enough: a fork may hold it too

    @contextmanager
    def _reading(self, key: str) -> Iterator[BinaryIO]:
        path = self._path(key)
        with self._faults(key):
            try:
                file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115
            except (FileNotFoundError, NotADirectoryError) as error:
                raise ArtifactNotFound(f"No artifact {key!r} in {self.uri}") from error
            with file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise BadData(f"{path} is a pipe or a device, no file: remove it")
                yield file

    @contextmanager
    def _faults(self, key: str) -> Iterator[None]:
        try:
            yield
        except OcrError:
            raise
        except OSError as error:
            # Of a listing, the very folder: it may be none of ours, as a disk's lost+found.
            is_object = bool(SUFFIX.search(key)) or not error.filename
            target = f"{self.uri}/{key}" if is_object else f"file://{error.filename}"
            raise StoreUnavailable(fault_message(error, target=target)) from error

    def _sweep(self) -> None:
        oldest = time.time() - ABANDONED_S
        with suppress(OSError):  # another process sweeps too, or the store is read-only here
            for part in _visible(self._incoming):
                if part.stat().st_mtime < oldest:
                    part.unlink()


def _move(part: Path, path: Path) -> None:
    made = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    part.replace(path)
    for entry in (path, *made):  # a folder that is new is as easily lost as what is in it
        sync_folder(entry.parent)


def _visible(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        for path in folder.iterdir():
            if not path.name.startswith("."):
                _refuse_foreign_link(path)
                yield path


def _files(folder: Path) -> Iterator[Path]:
    for path in _visible(folder):
        if path.is_dir():
            if not _leads_back(path):
                yield from _files(path)
        elif path.is_file():  # no pipe: it would be read for ever
            yield path


def _open_without_waiting(path: str, flags: int) -> int:
    """Open what may be a pipe, which would be waited at for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _refuse_foreign_link(path: Path) -> None:
    """Refuse a link that neither we nor root made, as `protected_symlinks` does.

    Raises:
        BadData: It is one; a listing without what lies behind it would be taken for all there is.
    """
    if path.is_symlink() and path.lstat().st_uid not in (0, os.geteuid()):
        raise BadData(
            f"{path} is a link of another user, who could let it lead to what only you may read: "
            "remove it, or make it yourself"
        )


def _leads_back(folder: Path) -> bool:
    """Say whether a folder is a link to one that it lies in: walking it would never end."""
    return folder.is_symlink() and folder.parent.resolve().is_relative_to(folder.resolve())
