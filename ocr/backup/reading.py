"""Reads an archive: all of it is checked before any of it is used."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from ocr.backup.head import HEAD, MANIFEST, MAX_HEAD_BYTES, Head, parse_head
from ocr.backup.tar import MAX_NAME_BYTES, Member, Readable, read_members
from ocr.errors import BadData, BadInput

DIGEST_BYTES = 68  # of a line of the manifest, without the name


class ArchiveReader:
    """An archive in a file, which is read from its start as often as wanted.

    Attributes:
        head: What it says of itself; no more than that is read of it.
        digest: Of its manifest, and so of all that is in it; empty until it was verified.
        digests: Of each of its files, by name; empty until then, too.
        sizes: Of each of its files in bytes, likewise.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise BadInput(f"No backup at {path}")
        self._path = path
        self.digest = ""
        self.digests: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        with self._opened() as stream:
            self.head = self._read_head(stream)

    def verify(self, check_name: Callable[[str], object]) -> Iterator[int]:
        """Read all of it, yielding how many bytes were read each time.

        Args:
            check_name: Raises at the name of a member that has no place in a backup.

        Raises:
            BadData: A member is not what the manifest says, or more is in it than it first says.
        """
        sums, size, found = hashlib.sha256(), 0, ""
        digests, sizes = dict[str, str](), dict[str, int]()
        with self._opened() as stream:
            for member in read_members(stream):
                if found or member.name in sizes:
                    raise BadData(f"{self._path} holds {member.name!r} twice or after its end")
                sizes[member.name] = member.size
                size += member.size
                self._refuse_excess(member, files=len(sizes), size=size)
                if member.name not in (HEAD, MANIFEST):
                    check_name(member.name)
                for piece in member.pieces():
                    yield len(piece)
                digests[member.name] = member.digest.hexdigest()
                if member.name == MANIFEST:
                    found = digests[member.name]
                else:
                    sums.update(_line(member))
        if not found:
            raise BadData(f"{self._path} has no {MANIFEST} at its end: it is no whole backup")
        if found != sums.hexdigest():
            raise BadData(f"{self._path} is damaged: its files are not those of its {MANIFEST}")
        self.digest, self.digests, self.sizes = found, digests, sizes

    def members(self) -> Iterator[Member]:
        """Yield what a verified archive holds, without what it says of itself.

        Raises:
            BadData: It is not the archive any more that was verified.
        """
        sums = hashlib.sha256()
        with self._opened() as stream:
            for member in read_members(stream):
                if member.name == MANIFEST:
                    break
                if member.name != HEAD:
                    yield member
                for _ in member.pieces():  # what was not read of it
                    pass
                sums.update(_line(member))
        if sums.hexdigest() != self.digest:
            raise BadData(f"{self._path} was changed while it was restored; restore a good copy")

    def _refuse_excess(self, member: Member, *, files: int, size: int) -> None:
        most_files, most = self.head.files + 2, self.head.bytes + MAX_HEAD_BYTES
        if member.name == MANIFEST:
            most += self.head.files * (DIGEST_BYTES + MAX_NAME_BYTES)
        if files > most_files or size > most:
            raise BadData(
                f"{self._path} holds more than the {self.head.files} files of "
                f"{self.head.bytes} bytes that it says it holds"
            )

    def _read_head(self, stream: Readable) -> Head:
        first = next(read_members(stream), None)
        if first is None or first.name != HEAD or first.size > MAX_HEAD_BYTES:
            raise BadData(f"{self._path} does not begin with {HEAD}: it is no backup of ocrline")
        return parse_head(b"".join(first.pieces()), source=str(self._path))

    @contextmanager
    def _opened(self) -> Iterator[Readable]:
        with pa.CompressedInputStream(pa.OSFile(str(self._path)), "zstd") as stream:
            yield _Stream(stream, self._path)


class _Stream:
    """A compressed file whose faults are those of the archive."""

    def __init__(self, file: pa.NativeFile, path: Path) -> None:
        self._file = file
        self._path = path

    def read(self, size: int, /) -> bytes:
        try:
            return bytes(self._file.read(size))
        except OSError as error:
            raise BadData(f"{self._path} is damaged, cut off or no backup: {error}") from error


def _line(member: Member) -> bytes:
    """Return what the manifest says of a member that was read."""
    return f"{member.digest.hexdigest()}  {member.name}\n".encode()
