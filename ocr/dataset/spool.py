"""Encoded images on disk while it is not yet known which are kept and in what order."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_BUFFER_BYTES = 1 << 16  # Python's own 8 KiB hold three crops


class SpoolPlace(NamedTuple):
    """Where bytes lie: `size` of them from `offset` of one file of the spool."""

    file: str
    offset: int
    size: int


class SpoolFile:
    """The end of one file of a spool, to append to."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=_BUFFER_BYTES)
        self._name = path.name
        self._size = self._file.tell()

    def append(self, data: bytes) -> SpoolPlace:
        """Append bytes; they can be read once the file is closed."""
        place = SpoolPlace(self._name, self._size, len(data))
        self._file.write(data)
        self._size += len(data)
        return place

    def close(self) -> None:
        """Write out what is buffered."""
        self._file.close()


class Spool:
    """A folder that each process appends to a file of its own in, and any reads back from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def appending(self) -> Iterator[SpoolFile]:
        """Open the file of this process."""
        file = SpoolFile(self.folder / f"{os.getpid()}.spool")
        try:
            yield file
        finally:
            file.close()

    @contextmanager
    def reading(self) -> Iterator["SpoolReader"]:
        """Open all files."""
        files = {path.name: os.open(path, os.O_RDONLY) for path in self.folder.glob("*.spool")}
        try:
            yield SpoolReader(files)
        finally:
            for file in files.values():
                os.close(file)


class SpoolReader:
    """Reads a spool's bytes back, from anywhere."""

    def __init__(self, files: dict[str, int]) -> None:
        self._files = files

    def read(self, place: SpoolPlace) -> bytes:
        """Read bytes back."""
        return os.pread(self._files[place.file], place.size, place.offset)
