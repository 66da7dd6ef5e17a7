"""What PaddleOCR's tools say: kept within bounds, cut into lines, its end at hand."""

import re
from pathlib import Path

from ocr.machine.failures import LOG_TAIL_BYTES

MOST_BYTES = 1 << 24
"""Of the log; as much again is kept of what was said before."""
LINE_BYTES = 1 << 13
"""More of a line nobody reads."""


class ToolLog:
    """A log file and the one before it.

    Attributes:
        tail: The end of what was said since it was opened.
    """

    def __init__(self, path: Path) -> None:
        """Go on with a log."""
        self.tail = b""
        self._path = path
        self._file = path.open("ab")
        self._rest = b""

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def write(self, said: bytes) -> list[str]:
        """Add what was said; return the lines that it ends: a bar of progress ends some as well."""
        if self._file.tell() + len(said) > MOST_BYTES:
            self._begin_again()
        self._file.write(said)
        self._file.flush()
        self.tail = (self.tail + said)[-LOG_TAIL_BYTES:]
        *lines, rest = re.split(rb"[\r\n]+", self._rest + said)
        self._rest = rest[:LINE_BYTES]
        return [_text(line) for line in lines]

    def last_line(self) -> str:
        """Return the line that nothing ended."""
        return _text(self._rest)

    def _begin_again(self) -> None:
        before = self._path.with_name(f"{self._path.name}.1")
        self._file.close()
        self._path.replace(before)
        self._file = self._path.open("ab")
        note = f"(more than {MOST_BYTES >> 20} MiB: {before.name} has what was said before this)\n"
        self._file.write(note.encode())


def _text(line: bytes) -> str:
    return line[:LINE_BYTES].decode("utf-8", errors="replace")
