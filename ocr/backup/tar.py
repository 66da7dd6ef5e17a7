"""Members of a tar archive: plain files by name, one after the other, as GNU tar reads them.

Not `tarfile` for reading: it holds in memory what a header says is a long name, however long, and
follows links. Here everything but a plain file with a name of bounded length is refused.
"""

import hashlib
import tarfile
from collections.abc import Iterator
from typing import Final, Protocol

from ocr.errors import BadData
from ocr.store.key import FORBIDDEN, MAX_KEY_BYTES

BLOCK: Final = 512
CHUNK: Final = 1 << 20
MAX_NAME_BYTES: Final = MAX_KEY_BYTES + 64
PLAIN: Final = (tarfile.REGTYPE, tarfile.AREGTYPE)


class Readable(Protocol):
    """What an archive is read from; fewer bytes than asked for are no end."""

    def read(self, size: int, /) -> bytes: ...  # noqa: D102


def member_head(name: str, *, size: int, modified: float) -> bytes:
    """Return what stands before a file's content."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, int(modified), 0o600
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict")


def padding(size: int) -> bytes:
    """Return what stands after a content of so many bytes."""
    return bytes(-size % BLOCK)


END: Final = bytes(2 * BLOCK)
"""What stands after the last member."""


class Member:
    """A file of an archive: its name, its size and, once, its content in pieces.

    Its digest is that of the pieces that were read so far.
    """

    def __init__(self, name: str, size: int, stream: Readable) -> None:
        self.name = name
        self.size = size
        self.digest = hashlib.sha256()
        self._stream = stream
        self._left = size

    def pieces(self) -> Iterator[bytes]:
        """Yield the content, or what is left of it, a piece of bounded size at a time."""
        while self._left:
            piece = self._stream.read(min(CHUNK, self._left))
            if not piece:
                raise BadData(f"The archive ends within {self.name!r}: it is no whole backup")
            self._left -= len(piece)
            self.digest.update(piece)
            yield piece


def read_members(stream: Readable) -> Iterator[Member]:
    """Yield the members of an archive in their order; what is not read of one is passed over.

    Raises:
        BadData: It holds anything but plain files of proper names, or ends early.
    """
    while (head := _exactly(stream, BLOCK)) != bytes(BLOCK):
        info, name = _parse(head), ""
        if info.type == tarfile.GNUTYPE_LONGNAME:
            name = _read_long_name(stream, info.size)
            info = _parse(_exactly(stream, BLOCK))
        member = Member(_checked(name or info.name, info), info.size, stream)
        yield member
        for _ in member.pieces():
            pass
        _exactly(stream, -info.size % BLOCK)
    if _exactly(stream, BLOCK) != bytes(BLOCK) or stream.read(1):
        raise BadData("The archive goes on after its end")


def _parse(head: bytes) -> tarfile.TarInfo:
    try:
        info = tarfile.TarInfo.frombuf(head, "utf-8", "strict")
    except (tarfile.HeaderError, UnicodeDecodeError) as error:
        raise BadData(
            f"The archive holds no header of a file where one should be: {error}"
        ) from error
    if info.size < 0:
        raise BadData(f"The archive says that {info.name!r} has {info.size} bytes")
    return info


def _read_long_name(stream: Readable, size: int) -> str:
    if size > MAX_NAME_BYTES:
        raise BadData(f"The archive holds a name of {size} bytes, at most {MAX_NAME_BYTES} may be")
    written = _exactly(stream, size + -size % BLOCK)[:size]
    try:
        return written.rstrip(b"\0").decode()
    except UnicodeDecodeError as error:
        raise BadData(f"The archive holds a name that is no Unicode: {error}") from error


def _checked(name: str, info: tarfile.TarInfo) -> str:
    if info.type not in PLAIN:
        raise BadData(f"The archive holds {name!r}, which is no plain file; a backup has no other")
    parts = name.split("/")
    if FORBIDDEN.search(name) or any(part in ("", ".", "..") for part in parts):
        raise BadData(f"The archive holds a file named {name!r}, which is no name in a backup")
    return name


def _exactly(stream: Readable, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = stream.read(size - len(data))
        if not piece:
            raise BadData("The archive ends early: it is no whole backup")
        data += piece
    return bytes(data)
