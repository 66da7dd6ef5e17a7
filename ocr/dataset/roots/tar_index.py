"""Where the members of a tar file are; nothing is unpacked."""

import io
import posixpath
import re
import struct
import tarfile
from array import array
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.roots.undecoded import RENAMING, as_gbk, is_decoded, kind_of_name
from ocr.errors import BadData

NO_FILE = -1
"""The size of a link, a device or a sparse file."""
_MAX_HEADER_BYTES = 1 << 16
_MOST_SHARED = 1000
"""Fields of global headers: each counts for all members after it, and costs them all time."""
_NO_LENGTH = re.compile(rb"\d{1000}")
_END = bytes(tarfile.BLOCKSIZE)
_MOST_FILLING = 2048
"""Blocks after an end mark that are looked at: 1 MiB, tar's own records are 10 KiB."""
_PACKED = {b"\x1f\x8b": "gunzip", b"BZh": "bunzip2", b"\xfd7zXZ": "unxz", b"(\xb5/\xfd": "unzstd"}
_BROKEN = (tarfile.TarError, struct.error, OSError, ValueError, LookupError, ArithmeticError)


@dataclass(frozen=True)
class TarIndex:
    """The members of a tar file by a hash of their names: 24 bytes each.

    Attributes:
        names: (N,) ascending; of equal ones the last counts, as it does in unpacking.
        offsets: (N,) where the content of each starts, bytes.
        sizes: (N,) bytes, or NO_FILE.
    """

    names: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def find(self, name: str) -> tuple[int, int] | None:
        """Offset and size of a member; None if there is none of that name."""
        number = np.uint64(_number(name))
        at = int(np.searchsorted(self.names, number, side="right")) - 1
        if at < 0 or self.names[at] != number:
            return None
        return int(self.offsets[at]), int(self.sizes[at])


def index_tar(path: Path, *, encoding: str) -> TarIndex:
    """Read the headers of a tar file.

    Args:
        path: The tar file.
        encoding: Of the members' names, where they are not all UTF-8.

    Raises:
        BadData: It is compressed, damaged or no tar file, or has names of another encoding.
    """
    names, offsets, sizes = array("Q"), array("q"), array("q")
    for member in _members(path, encoding):
        names.append(_number(member.name))
        offsets.append(member.offset_data)
        is_plain = member.isreg() and not member.issparse()
        sizes.append(member.size if is_plain else NO_FILE)
    numbers = np.frombuffer(names, np.uint64)
    order = np.argsort(numbers, kind="stable")
    return TarIndex(
        numbers[order],
        np.frombuffer(offsets, np.int64)[order],
        np.frombuffer(sizes, np.int64)[order],
    )


def list_tar(path: Path, *, encoding: str) -> tuple[str, ...]:
    """Read the names of all members but folders, each written in one way, as `index_tar` does.

    Raises:
        BadData: It is compressed, damaged or no tar file, or has names of another encoding.
    """
    return tuple(posixpath.normpath(member.name) for member in _members(path, encoding))


def _members(path: Path, encoding: str) -> Iterator[tarfile.TarInfo]:
    """Yield all members but folders, one at a time in memory."""
    if encoding != "utf-8":
        kinds = {kind_of_name(each.name) for each in _read_members(path, "utf-8")}
        if "other" not in kinds and ("UTF-8" in kinds or "either" not in kinds):
            encoding = "utf-8"
    for member in _read_members(path, encoding):
        if not is_decoded(member.name):
            _refuse_name(path, member.name, encoding)
        yield member


def _refuse_name(path: Path, name: str, encoding: str) -> NoReturn:
    if encoding == "gb18030":
        raise BadData(f"{path}: the name {name!r} of a member is neither UTF-8 nor {encoding}")
    said = as_gbk(name, encoding=encoding)
    raise BadData(
        f"{path}: the name of a member is not {encoding} (as GBK it is {said!r}); unpack it, "
        f"rename the files ({RENAMING}) and pack them again; of GBK "
        "names a dataset with dataset.encoding=gb18030, and label files in it, is read as it is"
    )


def _read_members(path: Path, encoding: str) -> Iterator[tarfile.TarInfo]:
    with _Headers(io.FileIO(path)) as file:
        _refuse_packed(path, file)
        try:
            yield from _walk(file, encoding)
        except (*_BROKEN, RecursionError) as error:
            raise BadData(f"{path} is no tar file, or damaged: {error}; pack it again") from error


def _refuse_packed(path: Path, file: "_Headers") -> None:
    start = file.read(8)
    file.seek(0)
    for mark, unpack in _PACKED.items():
        if start.startswith(mark):
            raise BadData(
                f"{path} is compressed, and no image in it can be found without unpacking all "
                f"before it; run {unpack} on it and set dataset.root to the tar file that is left"
            )


def _walk(file: "_Headers", encoding: str) -> Iterator[tarfile.TarInfo]:
    """Yield all members but folders; tarfile itself takes what is damaged for the end."""
    with tarfile.open(fileobj=file, mode="r:", encoding=encoding) as tar:
        while (member := tar.next()) is not None:
            if member.size < 0 or tar.offset < member.offset_data:  # would go round in circles
                raise tarfile.ReadError(f"a member of {member.size} bytes")
            if len(tar.pax_headers) > _MOST_SHARED:
                raise tarfile.ReadError(f"more than {_MOST_SHARED} fields for all members")
            tar.members.clear()  # type: ignore[attr-defined]  # it would keep them all
            if not member.isdir():
                yield member
        file.seek(tar.offset)
        end = file.read(len(_END))
        if not end:  # a source that is a listing would miss the rest and nobody would know
            raise tarfile.ReadError(f"it ends at byte {tar.offset} without an end mark, cut off")
        if end != _END:
            raise tarfile.ReadError(f"no header at byte {tar.offset}")
        _refuse_another(file)


def _refuse_another(file: "_Headers") -> None:
    """Refuse a further tar file after an end mark, where only zeros fill up the last record.

    No more is looked at than a record may be; what begins with no header hides no member.
    """
    for _ in range(_MOST_FILLING):
        at, block = file.tell(), file.read(tarfile.BLOCKSIZE)
        if len(block) < tarfile.BLOCKSIZE:
            return
        if block != _END:
            with suppress(tarfile.HeaderError):
                tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
                raise tarfile.ReadError(
                    f"another one begins at byte {at}, as cat joins them; `tar --concatenate "
                    "--file=FIRST SECOND` joins them so that both are read"
                )
            return


class _Headers(io.BufferedReader):
    """A file of which no more than a header is read at once, whatever a header says."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {size} bytes")
        data = super().read(size)
        if size > tarfile.BLOCKSIZE and _NO_LENGTH.search(data):  # tarfile needs 10 s for 60 kB
            raise tarfile.ReadError("a length of more than a thousand digits")
        return data


def _number(name: str) -> int:
    """A number that two names of ten million share once in 400,000 tar files."""
    data = posixpath.normpath(name).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
