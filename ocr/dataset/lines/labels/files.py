"""The label files of one dataset of text lines, whatever their format."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ocr.dataset.labels.mmocr import FIELD
from ocr.dataset.labels.split_files import LabelShare, SplitFiles, digest_blocks, shown_name
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.lines.labels.folder import given_splits, list_folder
from ocr.dataset.lines.labels.lmdb_rows import find_lmdb, read_lmdb
from ocr.dataset.lines.labels.mmocr import JSON_LINES, parse_mmocr, parse_mmocr_lines
from ocr.dataset.lines.labels.paddleocr import Delimiter, parse_paddleocr
from ocr.dataset.lines.labels.table import Columns, parse_table
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import LmdbRoot, Root
from ocr.dataset.roots.lmdb_root import stamp_lmdb
from ocr.dataset.split import Split
from ocr.errors import BadInput

LineLabelKind = Literal["paddleocr", "table", "folder", "lmdb", "mmocr"]


@dataclass(frozen=True)
class LineLabelFiles(SplitFiles[LineLabel]):
    """Where the labels of one dataset are and how to read them; a folder has no label files.

    Attributes:
        kind: Format of the labels; of lmdb each split is a folder of LMDB files.
        columns: Which columns of a table to read.
        delimiter: What stands between image and text in PaddleOCR's label files.
    """

    kind: LineLabelKind
    columns: Columns = field(default_factory=Columns)
    delimiter: Delimiter = "tab"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns.group and self.kind != "table":
            raise BadInput(f"group_column needs a table, the source is {self.kind!r}")
        if self.columns.split and self.kind != "table":
            raise BadInput(f"split_column needs a table, the source is {self.kind!r}")
        if self.delimiter != "tab" and self.kind != "paddleocr":
            raise BadInput(f"delimiter needs PaddleOCR label files, the source is {self.kind!r}")
        if self.more and self.kind == "folder":
            raise BadInput("more_labels needs label files, the source is 'folder'")
        if self.columns.split and (self.val or self.test or self.more):
            raise BadInput("with a split_column all rows stand in train_labels: no other is read")

    def place(self) -> Root:
        """Where the images are: in the LMDB files, if there are such.

        Raises:
            ArtifactNotFound: There is nothing.
            BadInput: The source needs a folder of this machine, and it is none.
        """
        return LmdbRoot(self._folder()) if self.kind == "lmdb" else super().place()

    def given(self) -> tuple[Split, ...]:
        """The splits that are not to be split off train."""
        if self.kind == "folder":
            return given_splits(self.place())
        return ("val", "test") if self.columns.split else super().given()

    def name_of(self, split: Split) -> str:
        """Name of the file or folder that a split's rows stand in."""
        if self.columns.split:
            return f"{super().name_of('train')} with {split!r} in the column {self.columns.split!r}"
        return str(self.root) if self.kind == "folder" else super().name_of(split)

    def fingerprint(self) -> list[str]:
        """What rows depend on besides single image files; where names are texts, the names."""
        found = super().fingerprint()
        if self.kind == "folder":
            found.append(digest_blocks(repr(row.image).encode() for row in self._list()))
        return found

    def _named(self) -> list[LabelShare]:
        return [] if self.kind == "folder" else super()._named()

    def _content(self, name: str) -> Iterator[bytes]:
        if self.kind == "lmdb":
            found = find_lmdb(self._folder(), name)
            yield from (repr((place, stamp_lmdb(folder))).encode() for place, folder in found)
        else:
            yield from super()._content(name)

    def _settings(self) -> list[str]:
        delimiter = [self.delimiter] if self.delimiter != "tab" else []
        return [*super()._settings(), repr(self.columns), *delimiter]

    def _group_setting(self) -> str:
        return f"group_column {self.columns.group!r}" if self.columns.group else ""

    def _read(self) -> Iterator[LineRow | Rejection]:
        return self._list() if self.kind == "folder" else super()._read()

    def _list(self) -> Iterator[LineRow | Rejection]:
        return list_folder(self.place(), encoding=self.encoding)

    def _parse(self, name: str, *, split: Split | None) -> Iterator[LineRow | Rejection]:
        shown = shown_name(name)
        if self.kind == "lmdb":
            yield from self._parse_lmdb(name, split=split)
            return
        if self.kind == "mmocr":
            yield from self._parse_mmocr(name, split=split)
            return
        if self.kind != "table":
            lines = self._lines(name)
            yield from parse_paddleocr(lines, name=shown, split=split, delimiter=self.delimiter)
            return
        with self._open(name) as file:
            yield from parse_table(
                shown, file, columns=self.columns, encoding=self.encoding, split=split
            )

    def _parse_mmocr(self, name: str, *, split: Split | None) -> Iterator[LineRow | Rejection]:
        shown = shown_name(name)
        if name.endswith(JSON_LINES):
            return parse_mmocr_lines(self._lines(name), name=shown, split=split)
        return parse_mmocr(self._json_items(name, field=FIELD), name=shown, split=split)

    def _folder(self) -> Path:
        if isinstance(self.root, Path) and self.root.is_dir():
            return self.root
        super().place()  # says that there is nothing
        raise BadInput(
            f"the source 'lmdb' maps files of a folder of this machine into memory, {self.root} is "
            "none; copy what it holds to a folder and name that as dataset.root"
        )

    def _parse_lmdb(self, name: str, *, split: Split | None) -> Iterator[LineRow | Rejection]:
        for place, folder in find_lmdb(self._folder(), name):
            yield from read_lmdb(
                folder,
                name=folder.name if place == "." else place,
                place=place,
                encoding=self.encoding,
                split=split,
            )
