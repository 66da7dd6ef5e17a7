"""The label files of one dataset, whatever their format."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ocr.errors import ArtifactNotFound, BadInput
from ocr.labels.encoding import Encoding, decode_labels
from ocr.labels.folder import given_splits, list_folder
from ocr.labels.paddleocr import parse_paddleocr
from ocr.labels.row import LabelRow
from ocr.labels.table import Columns, parse_table
from ocr.quarantine import Rejection
from ocr.sample import Split

LabelKind = Literal["paddleocr", "table", "folder"]


@dataclass(frozen=True)
class LabelFiles:
    """Where the labels of one dataset are and how to read them.

    Attributes:
        kind: Format of the labels.
        root: Folder that label files and image paths are relative to.
        train: Label file of the train split; unused for a folder, as are val and test.
        val: Label file of the val split; empty: split off train.
        test: Label file of the test split; empty: split off train.
        encoding: Of text files.
        columns: Which columns of a table to read.
    """

    kind: LabelKind
    root: Path
    train: str = ""
    val: str = ""
    test: str = ""
    encoding: Encoding = "utf-8"
    columns: Columns = field(default_factory=Columns)

    def __post_init__(self) -> None:
        if self.columns.group and self.kind != "table":
            raise BadInput(f"group_column needs a table, the source is {self.kind!r}")

    def read(self) -> Iterator[LabelRow | Rejection]:
        """Read all rows, file by file; those of the train file have no split of their own.

        Raises:
            ArtifactNotFound: When the root or a label file is not there.
            BadData: When a file is in another encoding or format.
        """
        if not self.root.is_dir():
            raise ArtifactNotFound(f"no folder {self.root} (dataset.root)")
        if self.kind == "folder":
            yield from list_folder(self.root)
            return
        for split, name in self._named():
            given = None if split == "train" else split
            yield from self._parse(_shown(name), self._read_file(name), split=given)

    def given(self) -> tuple[Split, ...]:
        """The splits that are not to be split off train."""
        if self.kind == "folder":
            return given_splits(self.root)
        return tuple(split for split, _ in self._named() if split != "train")

    def name_of(self, split: Split) -> str:
        """Name of the file or folder that a split's rows stand in."""
        return self.root.name if self.kind == "folder" else dict(self._named())[split]

    def fingerprint(self) -> list[str]:
        """What the rows depend on besides the image files: the settings and the files' content."""
        settings = [self.kind, self.encoding, *self.columns.names]
        if self.kind == "folder":
            return settings
        digests = (hashlib.sha256(self._read_file(name)).hexdigest() for _, name in self._named())
        names = (f"{split}={_shown(name)}" for split, name in self._named())
        return [*settings, *names, *digests]

    def _parse(
        self, name: str, data: bytes, *, split: Split | None
    ) -> Iterator[LabelRow | Rejection]:
        if self.kind == "table":
            return parse_table(
                name, data, columns=self.columns, encoding=self.encoding, split=split
            )
        content = decode_labels(data, encoding=self.encoding, name=name)
        return parse_paddleocr(content, name=name, split=split)

    def _named(self) -> list[tuple[Split, str]]:
        named: list[tuple[Split, str]] = [
            ("train", self.train),
            ("val", self.val),
            ("test", self.test),
        ]
        return [(split, name) for split, name in named if name]

    def _read_file(self, name: str) -> bytes:
        try:
            return (self.root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise ArtifactNotFound(f"no label file {self.root / name}") from error


def _shown(name: str) -> str:
    """A label file's name in samples: never a path of this machine."""
    return Path(name).name if Path(name).is_absolute() else name
