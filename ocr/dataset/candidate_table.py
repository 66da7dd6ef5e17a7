"""Candidates by the million: what is compared stands in columns, the rest waits on disk."""

import hashlib
import os
import pickle
import struct
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import Candidate, EncodedImage, Row, SampleLabel, SampleLabelT_co
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import SPLITS, TRAIN, Codes, Split
from ocr.dataset.spool import Spool, SpoolFile, SpoolPlace

LabelT = TypeVar("LabelT", bound=SampleLabel)

_ROWS = "rows"
_FREE = -1
_ID_BYTES = 32
_AT_ONCE = 4096
_COLUMNS = np.dtype(
    [
        ("id", f"S{_ID_BYTES}"),
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
    ]
)
_RECORD = struct.Struct(f"<{_ID_BYTES}sqqbBHiiqiqi")


@dataclass(frozen=True)
class EncodedImages:
    """Images and where the spool has them, in a form that other processes are given."""

    columns: NDArray[Any]
    suffixes: Sequence[str]
    files: Sequence[str]

    def __iter__(self) -> Iterator[tuple[str, str, SpoolPlace]]:
        """Yield the id, the suffix and the place of each."""
        found = (self.columns[name].tolist() for name in ("suffix", "file", "offset", "size"))
        for image, suffix, file, offset, size in zip(hex_ids(self.columns), *found, strict=True):
            yield image, self.suffixes[suffix], SpoolPlace(self.files[file], offset, size)


class CandidateTable(Sequence[Candidate[SampleLabelT_co]]):
    """Candidates in the order of their images' ids, those of one image as they came.

    A candidate takes 84 bytes of memory and its perceptual hash. Its row is read from the disk
    whenever the candidate is asked for.

    Attributes:
        columns: (N,) records: `label` and `group` are numbers, equal for equal ones; a `group` of
            0 is none. `split` is a position in SPLITS, -1 where there is none.
        hashes: (N, H) bytes of the perceptual hashes.
    """

    def __init__(
        self,
        columns: NDArray[Any],
        hashes: NDArray[np.uint8],
        *,
        suffixes: Sequence[str],
        files: Sequence[str],
        spool: Spool,
    ) -> None:
        self.columns = columns
        self.hashes = hashes
        self._suffixes, self._files = suffixes, files
        self._rows = os.open(spool.folder / _ROWS, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._rows)

    def __len__(self) -> int:
        return len(self.columns)

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

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which ones have no split of their own: (N,)."""
        return np.asarray(self.columns["split"] == _FREE)

    @property
    def splits(self) -> Codes:
        """Positions in SPLITS, of those without a split of their own that of train: (N,)."""
        return np.where(self.free, TRAIN, self.columns["split"]).astype(np.int64)

    @property
    def groups(self) -> Codes:
        """A number per group, and one of its own for each without a group: (N,)."""
        groups = self.columns["group"]
        numbers = np.arange(len(self))
        named = groups != 0
        numbers[named] = len(self) + np.unique(groups[named], return_inverse=True)[1]
        return numbers

    @property
    def images(self) -> Codes:
        """A number per image, equal for equal ones: (N,)."""
        ids = self.columns["id"]
        numbers = np.zeros(len(ids), np.int64)
        np.cumsum(ids[1:] != ids[:-1], out=numbers[1:])
        return numbers

    def at(self, positions: Iterable[int]) -> Iterator[Candidate[SampleLabelT_co]]:
        """Yield the candidates at these positions."""
        remaining = iter(positions)
        while block := list(islice(remaining, _AT_ONCE)):
            columns, hashes = self.columns[block], self.hashes[block]
            places = EncodedImages(columns, self._suffixes, self._files)
            sizes = zip(columns["width"].tolist(), columns["height"].tolist(), strict=True)
            parts = zip(self._read_rows(columns), places, sizes, hashes, strict=True)
            for row, (image, suffix, place), (width, height), seen in parts:
                encoded = EncodedImage(image, width, height, seen.tobytes(), suffix, place)
                yield Candidate(row, encoded)

    def rows(self, positions: NDArray[np.int64]) -> Iterator[Row[SampleLabelT_co]]:
        """Yield the rows of the candidates at these positions."""
        for start in range(0, len(positions), _AT_ONCE):
            yield from self._read_rows(self.columns[positions[start : start + _AT_ONCE]])

    def encoded(self, positions: NDArray[np.int64]) -> EncodedImages:
        """Name the images of the candidates at these positions."""
        return EncodedImages(self.columns[positions], self._suffixes, self._files)

    def _read_rows(self, columns: NDArray[Any]) -> Iterator[Row[SampleLabelT_co]]:
        places = (columns[name].tolist() for name in ("row_size", "row_at"))
        for size, start in zip(*places, strict=True):
            yield Row(*pickle.loads(os.pread(self._rows, size, start)))  # noqa: S301 - `collect` wrote it


@dataclass(frozen=True)
class Accepted(Generic[SampleLabelT_co]):
    """The candidates that become samples.

    Attributes:
        candidates: They and others.
        positions: (N,) where they stand among the candidates, ascending.
        splits: (N,) their splits, as positions in SPLITS.
    """

    candidates: CandidateTable[SampleLabelT_co]
    positions: NDArray[np.int64]
    splits: Codes

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[tuple[Candidate[SampleLabelT_co], Split]]:
        found = self.candidates.at(self.positions.tolist())
        yield from zip(found, (SPLITS[split] for split in self.splits.tolist()), strict=True)

    def by_split(self) -> "Accepted[SampleLabelT_co]":
        """The same in the order of their splits, otherwise as they are."""
        order = np.argsort(self.splits, kind="stable")
        return Accepted(self.candidates, self.positions[order], self.splits[order])

    def part(self, numbers: slice) -> "Accepted[SampleLabelT_co]":
        """Some of them."""
        return Accepted(self.candidates, self.positions[numbers], self.splits[numbers])

    def without(self, numbers: NDArray[np.int64]) -> "Accepted[SampleLabelT_co]":
        """Leave some out, by their number among the accepted ones."""
        positions, splits = np.delete(self.positions, numbers), np.delete(self.splits, numbers)
        return Accepted(self.candidates, positions, splits)

    def labels(self) -> Iterator[SampleLabelT_co]:
        """Yield the label of each."""
        return (row.label for row in self.candidates.rows(self.positions))


def collect(
    found: Iterable[Candidate[LabelT] | Rejection], *, spool: Spool
) -> tuple[CandidateTable[LabelT], list[Rejection]]:
    """Put candidates into a table and take out what was rejected.

    Args:
        found: Both, in any order.
        spool: Where rows go; they take some hundred bytes each.
    """
    rejections: list[Rejection] = []
    records, hashes = bytearray(), bytearray()
    suffixes: dict[str, int] = {}
    files: dict[str, int] = {}
    file = SpoolFile(spool.folder / _ROWS)
    try:
        for each in found:
            if isinstance(each, Rejection):
                rejections.append(each)
                continue
            row, image = each
            records += _RECORD.pack(
                bytes.fromhex(image.id),
                _number(row.label.stored),
                _number(row.group) if row.group else 0,
                SPLITS.index(row.split) if row.split else _FREE,
                suffixes.setdefault(image.suffix, len(suffixes)),
                files.setdefault(image.place.file, len(files)),
                image.width,
                image.height,
                *image.place[1:],
                *file.append(pickle.dumps(tuple(row), pickle.HIGHEST_PROTOCOL))[1:],
            )
            hashes += image.hash
    finally:
        file.close()
    columns = np.frombuffer(records, _COLUMNS)
    bits = np.frombuffer(hashes, np.uint8).reshape(
        len(columns), len(hashes) // max(1, len(columns))
    )
    _sort_in_place(columns, bits)
    names = {"suffixes": tuple(suffixes), "files": tuple(files)}
    return CandidateTable(columns, bits, **names, spool=spool), rejections


def hex_ids(columns: NDArray[Any]) -> Iterator[str]:
    """Yield the ids of records as hexadecimal digits."""
    digits = columns["id"].tobytes().hex()
    width = 2 * _ID_BYTES
    return (digits[at : at + width] for at in range(0, len(digits), width))


def _sort_in_place(columns: NDArray[Any], hashes: NDArray[np.uint8]) -> None:
    """Sort column by column, so that no second table is needed."""
    order = np.argsort(columns["id"], kind="stable")
    for name in _COLUMNS.names or ():
        columns[name] = columns[name][order]
    hashes[:] = hashes[order]


def _number(text: str) -> int:
    """A number that two different texts of ten million share once in 400,000 datasets."""
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
