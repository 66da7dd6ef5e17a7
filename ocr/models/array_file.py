"""Arrays of a bundle or checkpoint, read as what somebody else wrote: no pickle, and no bomb."""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData

_BROKEN = (
    ArithmeticError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,  # a shape that is none
    OSError,
    RuntimeError,  # encrypted
    SyntaxError,
    TokenError,
    TypeError,
    ValueError,
    zlib.error,
)
"""What reading an .npz file raises where it is damaged."""


@dataclass(frozen=True)
class Arrays:
    """The arrays of a file, each unpacked when it is asked for."""

    stored: Mapping[str, Any]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array by its name."""
        found = self.stored[name]
        if not isinstance(found, np.ndarray):
            raise TypeError(f"{name} is no array")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.stored

    def number(self, name: str) -> float:
        """Return a number by its name."""
        found = self[name]
        if found.shape or found.dtype != np.float64:
            raise TypeError(f"{name} is {found.shape} {found.dtype}, expected one float64")
        return float(found)


@contextmanager
def open_arrays(path: Path, *, kind: str, most_bytes: int) -> Iterator[Arrays]:
    """Open an .npz file.

    Args:
        path: The file.
        kind: What it is to be, for the error.
        most_bytes: No file of this kind unpacks to more.

    Raises:
        BadData: It is damaged, or larger than any that was written; or whoever builds of the
            arrays within finds them unusable.
    """
    try:
        with path.open("rb") as stream:
            _refuse_bomb(stream, kind=kind, most_bytes=most_bytes)
            with np.load(stream, allow_pickle=False) as stored:
                yield Arrays(stored)
    except _BROKEN as error:
        raise BadData(f"{path} is no usable {kind}: {error}") from error


def _refuse_bomb(stream: BinaryIO, *, kind: str, most_bytes: int) -> None:
    """Refuse what unpacks to more than any file of its kind, before anything is unpacked."""
    with ZipFile(stream) as archive:
        members = archive.infolist()
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        raise ValueError(f"it is packed in a way that no {kind} is")
    size = sum(member.file_size for member in members)
    if size > most_bytes:
        raise ValueError(f"it unpacks to {size} bytes, allowed are {most_bytes}")
    stream.seek(0)
