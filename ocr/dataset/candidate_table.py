"""Candidates by the million: a file of records, read column by column or some records at a time."""

import os
import pickle
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import Candidate, EncodedImage, Row, SampleLabelT_co
from ocr.dataset.split import TRAIN, Codes, SplitCodes
from ocr.dataset.spool import Spool, SpoolPlace

RECORDS = "records"
ROWS = "rows"
ID_BYTES = 32
FREE = -1
UNCHECKED = -2
_AT_ONCE = 4096
_BLOCK = 512  # records that are read at once


def record_type(hash_bytes: int) -> "np.dtype[np.void]":
    """What is known of a candidate without its row.

    `label` and `group` are numbers, equal for equal ones; a `group` of 0 is none. `split` is a
    position in SPLITS, `FREE` where there is none, `UNCHECKED` where it is train because nobody
    checked the label. `image` counts the images from 0; `name` is a number of the row's path.
    """
    return np.dtype(
        [
            ("id", f"S{ID_BYTES}"),
            ("label", "<i8"),
            ("group", "<i8"),
            ("split", "i1"),
            ("suffix", "u1"),
            ("file", "<u2"),
            ("width", "<i4"),
            ("height", "<i4"),
            ("offset", "<i8"),
            ("size", "<i4"),
            ("row_at", "<i8"),
            ("row_size", "<i4"),
            ("image", "<i4"),
            ("name", "<i8"),
            ("hash", "u1", (hash_bytes,)),
        ]
    )


@dataclass(frozen=True)
class EncodedImages:
    """Images and where the spool has them, in a form that other processes are given."""

    records: NDArray[Any]
    suffixes: Sequence[str]
    files: Sequence[str]

    def __iter__(self) -> Iterator[tuple[str, str, SpoolPlace]]:
        """Yield the id, the suffix and the place of each."""
        found = (self.records[name].tolist() for name in ("suffix", "file", "offset", "size"))
        for image, suffix, file, offset, size in zip(hex_ids(self.records), *found, strict=True):
            yield image, self.suffixes[suffix], SpoolPlace(self.files[file], offset, size)


class CandidateTable(Sequence[Candidate[SampleLabelT_co]]):
    """Candidates in the order of their images' ids, those of one image as they came.

    Nothing of a candidate stays in memory: its record and its row are read when they are asked for.

    Args:
        count: How many they are.
        hash_bytes: Size of the perceptual hash of each.
        suffixes: What the `suffix` of a record numbers.
        files: What the `file` of a record numbers.
        spool: Holds the files RECORDS and ROWS.
    """

    def __init__(
        self,
        count: int,
        *,
        hash_bytes: int,
        suffixes: Sequence[str],
        files: Sequence[str],
        spool: Spool,
    ) -> None:
        self._count = count
        self._type = record_type(hash_bytes)
        self._suffixes, self._files = suffixes, files
        self._records, self._rows = (
            os.open(spool.folder / name, os.O_RDONLY | os.O_CLOEXEC) for name in (RECORDS, ROWS)
        )
        for file in (self._records, self._rows):
            weakref.finalize(self, os.close, file)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Candidate[SampleLabelT_co]: ...
    @overload
    def __getitem__(self, at: slice) -> list[Candidate[SampleLabelT_co]]: ...
    def __getitem__(
        self, at: int | slice
    ) -> Candidate[SampleLabelT_co] | list[Candidate[SampleLabelT_co]]:
        positions = range(len(self))[at]
        if isinstance(positions, range):
            return list(self.at(positions))
        return next(self.at([positions]))

    def __iter__(self) -> Iterator[Candidate[SampleLabelT_co]]:
        return self.at(range(len(self)))

    def part(self, positions: Codes) -> "CandidateTable[SampleLabelT_co]":
        """The same table with these alone, in their order."""
        return _Part(self, positions)

    def column(self, name: str) -> NDArray[Any]:
        """Read one field of every record: (N, ...)."""
        kind = self._type[name]
        column = np.empty((len(self), *kind.shape), kind.base)
        for start in range(0, len(self), _BLOCK):
            column[start : start + _BLOCK] = self._block(start // _BLOCK)[name]
        return column

    def records(self, positions: Sequence[int] | Codes) -> NDArray[Any]:
        """Read the records at these positions: (P,)."""
        blocks, places = np.divmod(np.asarray(positions, np.int64), _BLOCK)
        records = np.empty(len(places), self._type)
        order = np.argsort(blocks, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
            if len(part):
                records[part] = self._block(int(blocks[part[0]]))[places[part]]
        return records

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which ones have no split of their own: (N,)."""
        return np.asarray(self.column("split") == FREE)

    @property
    def splits(self) -> SplitCodes:
        """Positions in SPLITS, of those without a split of their own that of train: (N,)."""
        splits = self.column("split")
        splits[splits < 0] = TRAIN
        return splits

    @property
    def unchecked(self) -> NDArray[np.bool_]:
        """Which ones nobody checked: (N,)."""
        return np.asarray(self.column("split") == UNCHECKED)

    @property
    def groups(self) -> Codes:
        """A number per group, and one of its own for each without a group: (N,)."""
        groups = self.column("group")
        numbers = np.arange(len(self), dtype=np.int32)
        named = np.flatnonzero(groups)
        if len(named):
            numbers[named] = len(self) + np.unique(groups[named], return_inverse=True)[1]
        return numbers

    def at(self, positions: Iterable[int]) -> Iterator[Candidate[SampleLabelT_co]]:
        """Yield the candidates at these positions."""
        remaining = iter(positions)
        while block := list(islice(remaining, _AT_ONCE)):
            records = self.records(block)
            places = EncodedImages(records, self._suffixes, self._files)
            sizes = zip(records["width"].tolist(), records["height"].tolist(), strict=True)
            parts = zip(self._read_rows(records), places, sizes, records["hash"], strict=True)
            for row, (image, suffix, place), (width, height), seen in parts:
                encoded = EncodedImage(image, width, height, seen.tobytes(), suffix, place)
                yield Candidate(row, encoded)

    def rows(self, positions: Codes) -> Iterator[Row[SampleLabelT_co]]:
        """Yield the rows of the candidates at these positions."""
        for start in range(0, len(positions), _AT_ONCE):
            yield from self._read_rows(self.records(positions[start : start + _AT_ONCE]))

    def encoded(self, positions: Codes) -> EncodedImages:
        """Name the images of the candidates at these positions."""
        return EncodedImages(self.records(positions), self._suffixes, self._files)

    def _block(self, number: int) -> NDArray[Any]:
        size = _BLOCK * self._type.itemsize
        return np.frombuffer(os.pread(self._records, size, number * size), self._type)

    def _read_rows(self, records: NDArray[Any]) -> Iterator[Row[SampleLabelT_co]]:
        places = (records[name].tolist() for name in ("row_size", "row_at"))
        for size, start in zip(*places, strict=True):
            yield Row(*pickle.loads(os.pread(self._rows, size, start)))  # noqa: S301 - `collect` wrote it


class _Part(CandidateTable[SampleLabelT_co]):
    """Some candidates of a table."""

    def __init__(self, table: CandidateTable[SampleLabelT_co], positions: Codes) -> None:
        self._table, self._positions = table, positions
        self._suffixes, self._files, self._rows = table._suffixes, table._files, table._rows

    def __len__(self) -> int:
        return len(self._positions)

    def column(self, name: str) -> NDArray[Any]:
        return np.asarray(self._table.column(name)[self._positions])

    def records(self, positions: Sequence[int] | Codes) -> NDArray[Any]:
        return self._table.records(self._positions[np.asarray(positions, np.int64)])


def hex_ids(records: NDArray[Any]) -> Iterator[str]:
    """Yield the ids of records as hexadecimal digits."""
    digits = records["id"].tobytes().hex()
    width = 2 * ID_BYTES
    return (digits[at : at + width] for at in range(0, len(digits), width))
