"""Encoded images on disk while it is not yet known which are kept and in what order."""

import os
import tempfile
from pathlib import Path
from types import TracebackType


class Spool:
    """An unnamed temporary file that bytes are appended to and read back from anywhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, buffering=1 << 20)  # noqa: SIM115
        self._size = 0
        self._written = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def append(self, data: bytes) -> int:
        """Append bytes; returns their offset."""
        offset = self._size
        self._file.write(data)
        self._size += len(data)
        return offset

    def read(self, *, offset: int, size: int) -> bytes:
        """Read bytes back."""
        if offset + size > self._written:
            self._file.flush()
            self._written = self._size
        return os.pread(self._file.fileno(), size, offset)
