"""Arrays in a file of a bundle, read as what somebody else wrote: no pickle, and no bomb."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np

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


@contextmanager
def open_arrays(path: Path, *, kind: str, most_bytes: int) -> Iterator[Any]:
    """Open an .npz file: arrays by name, each unpacked when it is asked for.

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
                yield stored
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
