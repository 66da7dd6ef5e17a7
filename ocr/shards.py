"""Image shards: uncompressed tar files anyone can unpack, and places to read them directly."""

import hashlib
import os
import tarfile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

SHARD_BYTES = 128 << 20
# POSIX ustar fields (IEEE 1003.1, pax) between those that change.
_OWNER = "0000644\0" + 2 * "0000000\0"
_MTIME = "00000000000\0"
_TYPE_AND_MAGIC = (b"0" + bytes(100) + b"ustar\x0000").ljust(356, b"\0")


class ShardPlace(NamedTuple):
    """Where an encoded image lies: `size` bytes from `offset` of the file `shard`."""

    shard: str
    offset: int
    size: int


class ShardWriter:
    """Writes files one after the other into `FOLDER/shards/00000.tar` and on.

    Every header field is fixed, so that the same files in the same order give the same bytes.

    Attributes:
        digests: SHA-256 of each finished shard, by path relative to the folder.
    """

    def __init__(self, folder: Path, *, shard_bytes: int = SHARD_BYTES) -> None:
        self.digests: dict[str, str] = {}
        self._folder = folder
        self._shard_bytes = shard_bytes
        self._file: BinaryIO | None = None
        self._name = ""
        self._size = 0
        self._sha = hashlib.sha256()

    def __enter__(self) -> "ShardWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._finish()

    def add(self, name: str, data: bytes) -> ShardPlace:
        """Append one file."""
        header = _tar_header(name, len(data))
        if self._size and self._size + len(header) + len(data) > self._shard_bytes:
            self._finish()
        if self._file is None:
            self._start()
        place = ShardPlace(self._name, self._size + len(header), len(data))
        self._write(header + data + bytes(-len(data) % tarfile.BLOCKSIZE))
        return place

    def _start(self) -> None:
        self._name = f"shards/{len(self.digests):05d}.tar"
        self._size = 0
        self._sha = hashlib.sha256()
        path = self._folder / self._name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb")

    def _write(self, block: bytes) -> None:
        if self._file is not None:
            self._file.write(block)
            self._sha.update(block)
            self._size += len(block)

    def _finish(self) -> None:
        if self._file is None:
            return
        end = 2 * tarfile.BLOCKSIZE
        self._write(bytes(end + -(self._size + end) % tarfile.RECORDSIZE))
        self._file.close()
        self._file = None
        self.digests[self._name] = self._sha.hexdigest()


def read_shard(folder: Path, *, shard: str, offset: int, size: int) -> bytes:
    """Read one file of a shard; safe to call from threads and forked processes."""
    file = os.open(folder / shard, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(file, size, offset)
    finally:
        os.close(file)


def _tar_header(name: str, size: int) -> bytes:
    """What `tarfile` makes of a plain file, thirty times as fast."""
    start, end = f"{name:\0<100}{_OWNER}{size:011o}\0{_MTIME}".encode(), _TYPE_AND_MAGIC
    checksum = sum(start) + sum(end) + 8 * ord(" ")
    return start + f"{checksum:06o}\0 ".encode() + end
