"""A page that nobody has labelled, and what a model read on it."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.pages.region import Region
from ocr.models.page_line import PageLine


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where a page comes from.

    Attributes:
        path: Its file.
        number: Its place among the pages of the file, from 1.
        pages: How many the file has.
        digest: SHA-256 of the file, lower-case hex.
        document: Names the file in every round, wherever it lies and whatever it is called then.
    """

    path: Path
    number: int
    pages: int
    digest: str
    document: str

    @property
    def file(self) -> str:
        """Its file as text."""
        return show_path(self.path)

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"{self.file} page {self.number}" if self.pages > 1 else self.file

    @property
    def lot(self) -> bytes:
        """What it draws: a random order, whatever files are called and whichever lie beside it."""
        return hashlib.sha256(f"lot {self.digest} {self.number}".encode()).digest()


@dataclass(frozen=True, slots=True)
class ProposedPage:
    """A page and its lines, as the writers of labels take it.

    Attributes:
        source: Where it comes from.
        width: In pixels.
        height: In pixels.
        lines: In reading order.
    """

    source: PageSource
    width: int
    height: int
    lines: tuple[PageLine, ...]

    @property
    def regions(self) -> tuple[Region, ...]:
        """The lines as labels."""
        return tuple(Region(line.polygon, line.text) for line in self.lines)

    @property
    def confidences(self) -> tuple[float, ...]:
        """How sure the reader is of each."""
        return tuple(line.confidence for line in self.lines)

    @property
    def facts(self) -> Mapping[str, object]:
        """Its file and place, which Label Studio shows; `group_field: document` splits by these."""
        source = self.source
        return {"file": source.file, "page": source.number, "document": source.document}

    @property
    def doubt(self) -> float:
        """How many of its lines are expected to be wrong."""
        return sum(1 - line.confidence for line in self.lines)

    @property
    def least(self) -> PageLine | None:
        """The line that the reader is least sure of; None of a page without lines."""
        return min(self.lines, key=lambda line: line.confidence, default=None)

    def to_bytes(self) -> bytes:
        """How it waits on disk until it is chosen."""
        lines = [line.to_json() for line in self.lines]
        return json.dumps([self.width, self.height, lines], ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, content: bytes, *, source: PageSource) -> "ProposedPage":
        """Read what `to_bytes` returned."""
        width, height, lines = json.loads(content)
        return cls(source, width, height, tuple(map(PageLine.from_json, lines)))


def show_path(path: Path) -> str:
    """Return a path as text; U+FFFD stands for bytes of its name that are not UTF-8."""
    return os.fsencode(path).decode(errors="replace")
