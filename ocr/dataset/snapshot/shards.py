"""Image shards: uncompressed tar files anyone can unpack, and places to read them directly."""

import hashlib
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData

SHARD_BYTES = 16 << 20  # small enough that several processes share the writing of a dataset
_NAME = re.compile(r"shards/\d{5,12}\.tar")
_HEADER_BYTES = tarfile.BLOCKSIZE
# POSIX ustar fields (IEEE 1003.1, pax) between those that change.
_OWNER = "0000644\0" + 2 * "0000000\0"
_MTIME = "00000000000\0"
_TYPE_AND_MAGIC = (b"0" + bytes(100) + b"ustar\x0000").ljust(356, b"\0")
_CONSTANT_SUM = sum(_TYPE_AND_MAGIC) + 8 * ord(" ")
_BLOCK_BYTES = 1 << 16  # written and hashed at once


def place_in_shards(
    sizes: NDArray[Any], *, shard_bytes: int = SHARD_BYTES
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Tell where files go that are written one after the other.

    Args:
        sizes: (N,) bytes of each file.
        shard_bytes: Where a shard ends; a larger file gets one of its own.

    Returns:
        (N,) the number of each file's shard, from 0, and (N,) its offset there.
    """
    shards, offsets = np.zeros(len(sizes), np.int32), np.zeros(len(sizes), np.int32)
    most = shard_bytes // _HEADER_BYTES + 1  # more files no shard has
    number = first = 0
    while first < len(sizes):
        found = sizes[first : first + most].astype(np.int64)
        ends = np.cumsum(_HEADER_BYTES + found + -found % tarfile.BLOCKSIZE)
        starts = np.append(0, ends[:-1]) + _HEADER_BYTES
        count = max(1, int(np.searchsorted(starts + found, shard_bytes, side="right")))
        shards[first : first + count] = number
        offsets[first : first + count] = starts[:count]
        number, first = number + 1, first + count
    return shards, offsets


def shard_name(number: int) -> str:
    """Name of a shard in the snapshot."""
    return f"shards/{number:05d}.tar"


def write_shard(path: Path, files: Iterable[tuple[str, bytes]]) -> str:
    """Write one shard; every header field is fixed, so that the same files give the same bytes.

    Args:
        path: File to write; its folder is made.
        files: Name and content of each.

    Returns:
        SHA-256 of the shard.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for block in _join_pieces(_tar_pieces(files)):
            file.write(block)
            digest.update(block)
    return digest.hexdigest()


def read_shard(folder: Path, *, shard: str, offset: int, size: int) -> bytes:
    """Read one file of a shard; safe to call from threads and forked processes.

    Raises:
        BadData: It is no shard of the folder, or smaller.
    """
    if not _NAME.fullmatch(shard):
        raise BadData(f"{shard[:100]!r} is no shard of a snapshot")
    file = os.open(folder / shard, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if offset < 0 or not 0 <= size <= os.fstat(file).st_size - offset:
            raise BadData(f"{folder / shard} ends before {size} bytes at {offset}")
        return os.pread(file, size, offset)
    finally:
        os.close(file)


def _padding(size: int) -> int:
    return -size % tarfile.BLOCKSIZE


def _tar_pieces(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    written = 0
    for name, data in files:
        piece = b"%b%b%b" % (_tar_header(name, len(data)), data, bytes(_padding(len(data))))
        written += len(piece)
        yield piece
    end = 2 * tarfile.BLOCKSIZE
    yield bytes(end + -(written + end) % tarfile.RECORDSIZE)


def _join_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _BLOCK_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _tar_header(name: str, size: int) -> bytes:
    """What `tarfile` makes of a plain file, many times as fast."""
    start = f"{name:\0<100}{_OWNER}{size:011o}\0{_MTIME}".encode()
    return b"%b%06o\0 %b" % (start, sum(start) + _CONSTANT_SUM, _TYPE_AND_MAGIC)
