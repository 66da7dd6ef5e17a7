"""Candidates as they are found, into a table sorted by image."""

import hashlib
import pickle
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import Candidate, Row, SampleLabel
from ocr.dataset.candidate_table import (
    FREE,
    ID_BYTES,
    RECORDS,
    ROWS,
    UNCHECKED,
    CandidateTable,
    record_type,
)
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import SPLITS
from ocr.dataset.spool import Spool, SpoolFile

LabelT = TypeVar("LabelT", bound=SampleLabel)

_RECORD = struct.Struct(f"<{ID_BYTES}sqqbBHiiqiqiiq")
_NOT_YET = 0
_PART_BUFFER_BYTES = 1 << 14  # times 256


def collect(
    found: Iterable[Candidate[LabelT] | Rejection], *, spool: Spool
) -> tuple[CandidateTable[LabelT], list[Rejection]]:
    """Put candidates into a table and take out what was rejected.

    Records are parted by the first byte of their image's id and sorted part by part: memory holds
    one part of 256.

    Args:
        found: Both, in any order.
        spool: Where records and rows go; they take some hundred bytes each.
    """
    rejections: list[Rejection] = []
    suffixes: dict[str, int] = {}
    files: dict[str, int] = {}
    parts = _Parts(spool.folder)
    rows = SpoolFile(spool.folder / ROWS)
    hash_bytes = 0
    try:
        for each in found:
            if isinstance(each, Rejection):
                rejections.append(each)
                continue
            row, image = each
            hash_bytes = len(image.hash)
            record = _RECORD.pack(
                bytes.fromhex(image.id),
                _number(row.label.stored),
                _number(row.group) if row.group else 0,
                _split_of(row),
                suffixes.setdefault(image.suffix, len(suffixes)),
                files.setdefault(image.place.file, len(files)),
                image.width,
                image.height,
                *image.place[1:],
                *rows.append(pickle.dumps(tuple(row), pickle.HIGHEST_PROTOCOL))[1:],
                _NOT_YET,
                _number(row.image),
            )
            parts.append(record + image.hash)
    finally:
        rows.close()
    count = _write_sorted(spool.folder / RECORDS, parts.read(record_type(hash_bytes)))
    names = {"suffixes": tuple(suffixes), "files": tuple(files)}
    return CandidateTable(count, hash_bytes=hash_bytes, **names, spool=spool), rejections


def _split_of(row: Row[Any]) -> int:
    if not row.is_checked:
        return UNCHECKED
    return SPLITS.index(row.split) if row.split else FREE


class _Parts:
    """Records by their first byte: the latest in memory, those before in a file of each part."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._latest = [bytearray() for _ in range(256)]

    def append(self, record: bytes) -> None:
        part = record[0]
        latest = self._latest[part]
        latest += record
        if len(latest) > _PART_BUFFER_BYTES:
            with self._path(part).open("ab") as file:
                file.write(latest)
            latest.clear()

    def read(self, kind: "np.dtype[np.void]") -> Iterator[NDArray[Any]]:
        """Yield the records of each part in the order of the parts; its file is gone afterwards."""
        for part, latest in enumerate(self._latest):
            path = self._path(part)
            before = path.read_bytes() if path.exists() else b""
            yield np.frombuffer(before + latest, kind)
            path.unlink(missing_ok=True)

    def _path(self, part: int) -> Path:
        return self._folder / f"{part:02x}.part"


def _write_sorted(path: Path, parts: Iterable[NDArray[Any]]) -> int:
    """Write records in the order of their ids, equal ones as they came; returns their number."""
    count = images = 0
    with path.open("wb") as file:
        for records in parts:
            ordered = records[np.argsort(records["id"], kind="stable")]
            is_new = np.ones(len(ordered), np.int32)
            is_new[1:] = ordered["id"][1:] != ordered["id"][:-1]
            ordered["image"] = images - 1 + np.cumsum(is_new)
            images += int(is_new.sum())
            count += len(ordered)
            ordered.tofile(file)
    return count


def _number(text: str) -> int:
    """A number that two different texts of ten million share once in 400,000 datasets."""
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
