"""Writes an archive whole or not at all: ``tar --zstd -xf FILE`` and ``sha256sum -c`` read it.

Its first member says how much is in it at most; its last one names the digest of every other, as
``sha256sum`` does. An archive that ends before that is none.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from ocr.backup.head import HEAD, MANIFEST, Head, format_head
from ocr.backup.tar import CHUNK, END, member_head, padding
from ocr.errors import ArtifactExists, BadData, StoreUnavailable
from ocr.store.whole import FULL, fault_message, make_durable, sync_folder


class ArchiveWriter:
    """Takes members; :func:`new_archive` opens one."""

    def __init__(self, stream: pa.NativeFile, head: Head) -> None:
        self._stream = stream
        self._head = head
        self._sums = bytearray()
        self.add(HEAD, [format_head(head)], size=len(format_head(head)))
        self.files = 0
        self.bytes = 0

    def add(self, name: str, pieces: Iterable[bytes], *, size: int, modified: float = 0) -> None:
        """Add a member whose content comes in pieces that make up exactly its size (bytes).

        Raises:
            BadData: They do not.
        """
        digest, written = hashlib.sha256(), 0
        self._stream.write(member_head(name, size=size, modified=modified))
        for piece in pieces:
            self._stream.write(piece)
            digest.update(piece)
            written += len(piece)
        if written != size:
            raise BadData(f"{name} has {written} bytes, expected {size}: it changed meanwhile")
        self._stream.write(padding(size))
        self._sums += f"{digest.hexdigest()}  {name}\n".encode()
        self.files = self.files + 1 if name != HEAD else 0
        self.bytes = self.bytes + size if name != HEAD else 0

    def add_file(self, name: str, path: Path) -> None:
        """Add a file that nobody writes to."""
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            pieces = iter(lambda: file.read(CHUNK), b"")
            self.add(name, pieces, size=stat.st_size, modified=stat.st_mtime)

    def finish(self) -> None:
        """Write what makes the archive whole."""
        if self.files > self._head.files or self.bytes > self._head.bytes:
            raise BadData("More was written to the backup than its first member says")
        self._stream.write(member_head(MANIFEST, size=len(self._sums), modified=0))
        self._stream.write(bytes(self._sums))
        self._stream.write(padding(len(self._sums)) + END)


@contextmanager
def new_archive(path: Path, head: Head) -> Iterator[ArchiveWriter]:
    """Write an archive beside `path` that takes its place when the block ends well.

    Killed in between, ``PATH.part`` is left, which the next attempt writes anew.

    Raises:
        ArtifactExists: There is a file already, or another backup is writing it.
        StoreUnavailable: The disk is full.
    """
    part = path.with_name(f"{path.name}.part")
    refuse_taken(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            _claim(file, part)
            with pa.CompressedOutputStream(pa.OSFile(str(part), "wb"), "zstd") as stream:
                writer = ArchiveWriter(stream, head)
                yield writer
                writer.finish()
            make_durable(file)
            refuse_taken(path)
            part.rename(path)
    except OSError as error:
        if error.errno in FULL:
            raise StoreUnavailable(fault_message(error, target=str(path))) from error
        raise
    sync_folder(path.parent)


def refuse_taken(path: Path) -> None:
    """Raise ArtifactExists where there is something already: a backup replaces nothing."""
    if path.exists() or path.is_symlink():
        raise ArtifactExists(f"{path} is there already; a backup replaces nothing: name a new file")


def _claim(file: BinaryIO, part: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ArtifactExists(f"Another backup is writing {part}; name another file") from error
