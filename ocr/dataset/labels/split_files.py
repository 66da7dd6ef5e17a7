"""Label files of the three splits, and shares of more, relative to one root."""

import hashlib
import posixpath
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from ocr.dataset.candidate import UNCHECKED, Label, Row
from ocr.dataset.labels.encoding import Encoding, read_lines
from ocr.dataset.labels.grouping import compile_pattern, group_rows
from ocr.dataset.labels.json_items import read_json_items
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import Root, find_root
from ocr.dataset.split import SPLITS, Split
from ocr.errors import BadData, BadInput

LabelT = TypeVar("LabelT", bound=Label)
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class LabelShare:
    """A label file, or a share of its rows.

    Attributes:
        name: The label file, relative to the root.
        split: Split of its rows.
        ratio: How many of its rows count. Each has a place between 0 and 1 of its own, which
            depends on its image's path and the seed alone, and counts where that is smaller: rows
            that join it move no other in or out.
        checked: Whether a person looked at its labels; else its rows stay in train and yield to
            those of people.
    """

    name: str
    split: Split = "train"
    ratio: float = 1.0
    checked: bool = True

    def shown(self, seed: int) -> str:
        """What rows depend on besides the file's content."""
        share = f" {self.ratio!r} by seed {seed}" if self.ratio < 1 else ""
        checked = "" if self.checked else " unchecked"
        return f"{self.split}={shown_name(self.name)}{share}{checked}"

    def counts(self, row: Row[Label] | Rejection, *, seed: int) -> bool:
        """Tell whether a row counts; a rejected one by where it stands."""
        if self.ratio == 1:
            return True
        key = row.where if isinstance(row, Rejection) else row.image
        digest = hashlib.sha256(f"{seed}:{key}".encode("utf-8", "surrogatepass"))
        return int.from_bytes(digest.digest()[:8]) < self.ratio * 2**64


@dataclass(frozen=True)
class SplitFiles(ABC, Generic[LabelT]):
    """Where the labels of one dataset are; those of lines and of pages are read differently.

    Attributes:
        kind: Format of the labels.
        root: What label files and image paths are relative to; a path names a folder, or a tar
            file.
        train: Label file of the train split; empty: those of `more` alone.
        val: Label file of the val split; empty: split off train.
        test: Label file of the test split; empty: split off train.
        encoding: Encoding of the label files, and of names in a tar file that are not all UTF-8.
        group_pattern: Regular expression over an image's path, whose first group, or all that it
            matches, names what stays in one split; empty: none.
        more: Further label files, or shares of them.
        seed: Decides which rows a share is.
        only: Split that every row is in, wherever it stands; None: as the files say.
    """

    kind: str
    root: Path | Root
    train: str = ""
    val: str = ""
    test: str = ""
    encoding: Encoding = "utf-8"
    group_pattern: str = ""
    more: tuple[LabelShare, ...] = ()
    seed: int = 0
    only: Split | None = None

    def __post_init__(self) -> None:
        compile_pattern(self.group_pattern)
        if self.group_pattern and self._group_setting():
            raise BadInput(f"give group_pattern or {self._group_setting()}, not both")
        self._refuse_repeated()

    def place(self) -> Root:
        """Where the images are.

        Raises:
            ArtifactNotFound: There is nothing.
        """
        if isinstance(self.root, Path):
            return find_root(self.root, encoding=self.encoding)
        return self.root

    def read(self) -> Iterator[Row[LabelT] | Rejection]:
        """Read all rows, file by file; those of the train file have no split of their own.

        Raises:
            ArtifactNotFound: When the root or a label file is not there.
            BadData: When a file is in another encoding or format, one of `more` has no rows, or
                groups were asked for and no row has one.
        """
        self.place()  # says that it is not there before a label file does
        pattern, field = self.group_pattern, self._group_setting()
        asked = f"group_pattern {pattern!r}" if pattern else field
        rows = group_rows(self._read(), pattern=pattern, asked=asked) if asked else self._read()
        return map(self._place_row, rows) if self.only else rows

    def filled(self) -> tuple[Split | None, ...]:
        """The splits that need rows; None: rows that the preparation splits."""
        return (self.only,) if self.only else (None, *self.given())

    def given(self) -> tuple[Split, ...]:
        """The splits that are not to be split off train."""
        named = {share.split for share in self._named()}
        return tuple(split for split in SPLITS if split != "train" and split in named)

    def name_of(self, split: Split) -> str:
        """Names of the files that a split's rows stand in."""
        return ", ".join(share.name for share in self._named() if share.split == split)

    def fingerprint(self) -> list[str]:
        """What rows depend on besides single image files: settings, label files, a whole tar."""
        digests = (digest_blocks(self._content(share.name)) for share in self._named())
        names = (share.shown(self.seed) for share in self._named())
        return [*self._settings(), *names, *digests, *self.place().content()]

    def _settings(self) -> list[str]:
        only = [f"only {self.only}"] if self.only else []
        return [self.kind, self.encoding, self.group_pattern, *only]

    def _group_setting(self) -> str:
        """The setting that makes the label files themselves name groups; empty: none."""
        return ""

    def _refuse_repeated(self) -> None:
        seen = set[tuple[Split, str]]()
        for share in self._named():
            place = share.split, posixpath.normpath(share.name)
            if place in seen:
                raise BadInput(
                    f"the label file {share.name!r} is named twice for {share.split}, and its rows "
                    "would only be duplicates: name it once, with one ratio"
                )
            seen.add(place)

    def _place_row(self, row: Row[LabelT] | Rejection) -> Row[LabelT] | Rejection:
        return row if isinstance(row, Rejection) else row._replace(split=self.only)

    def _named(self) -> list[LabelShare]:
        own = zip((self.train, self.val, self.test), SPLITS, strict=True)
        return [*(LabelShare(name, split) for name, split in own if name), *self.more]

    def _read(self) -> Iterator[Row[LabelT] | Rejection]:
        for share in self._named():
            rows = self._parse(share.name, split=None if share.split == "train" else share.split)
            if share in self.more:
                rows = _refuse_none(rows, name=share.name)
            counting = (row for row in rows if share.counts(row, seed=self.seed))
            yield from counting if share.checked else map(_mark_unchecked, counting)

    @abstractmethod
    def _parse(self, name: str, *, split: Split | None) -> Iterator[Row[LabelT] | Rejection]:
        """Read one label file."""

    def _content(self, name: str) -> Iterator[bytes]:
        """Yield all bytes that the rows of one split come from, block by block."""
        with self._open(name) as file:
            yield from iter(partial(file.read, _BLOCK_BYTES), b"")

    def _lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a label file with their ends."""
        with self._open(name) as file:
            yield from read_lines(file, encoding=self.encoding, name=shown_name(name))

    def _json_items(self, name: str, *, field: str) -> Iterator[object]:
        """Yield the items of a list in a label file that is one JSON document."""
        with self._open(name) as file:
            yield from read_json_items(
                file, field=field, encoding=self.encoding, name=shown_name(name)
            )

    def _open(self, name: str) -> BinaryIO:
        return self.place().open_file(name)


def _refuse_none(
    rows: Iterable[Row[LabelT] | Rejection], *, name: str
) -> Iterator[Row[LabelT] | Rejection]:
    """Pass on the rows of a file that joins others, which would hide that it has none."""
    is_empty = True
    for row in rows:
        is_empty = False
        yield row
    if is_empty:
        raise BadData(f"no rows in {name}, which more_labels names: fill it or take it out")


def _mark_unchecked(row: Row[LabelT] | Rejection) -> Row[LabelT] | Rejection:
    if isinstance(row, Rejection):
        return row.of_unchecked()
    return row._replace(split="train", source=row.source + UNCHECKED)


def digest_blocks(blocks: Iterable[bytes]) -> str:
    """Return the SHA-256 of all bytes."""
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def shown_name(name: str) -> str:
    """A label file's name in samples: never a path of this machine."""
    return Path(name).name if Path(name).is_absolute() else name
