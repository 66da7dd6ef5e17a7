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
_CONSTANT_SUM = sum(_TYPE_AND_MAGIC) + 8 * ord(" ")
_BLOCK_BYTES = 1 << 16  # written and hashed at once


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
        self._pieces: list[bytes] = []
        self._waiting = 0

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
        self._append(header, data, bytes(-len(data) % tarfile.BLOCKSIZE))
        return place

    def _start(self) -> None:
        self._name = f"shards/{len(self.digests):05d}.tar"
        self._size = 0
        self._sha = hashlib.sha256()
        path = self._folder / self._name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb")

    def _append(self, *pieces: bytes) -> None:
        size = sum(map(len, pieces))
        self._pieces += pieces
        self._size += size
        self._waiting += size
        if self._waiting >= _BLOCK_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._file is not None:
            block = b"".join(self._pieces)
            self._pieces.clear()
            self._waiting = 0
            self._file.write(block)
            self._sha.update(block)

    def _finish(self) -> None:
        if self._file is None:
            return
        end = 2 * tarfile.BLOCKSIZE
        self._append(bytes(end + -(self._size + end) % tarfile.RECORDSIZE))
        self._flush()
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
    """What `tarfile` makes of a plain file, many times as fast."""
    start = f"{name:\0<100}{_OWNER}{size:011o}\0{_MTIME}".encode()
    return b"%b%06o\0 %b" % (start, sum(start) + _CONSTANT_SUM, _TYPE_AND_MAGIC)
