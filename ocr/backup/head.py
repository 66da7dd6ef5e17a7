"""What an archive says of itself before all else: how much is in it, and who wrote it."""

import json
from dataclasses import asdict, dataclass
from typing import Final

from ocr.errors import BadData, BadInput

FORMAT: Final = 1
HEAD: Final = "backup.json"
MANIFEST: Final = "SHA256SUMS"
MAX_HEAD_BYTES: Final = 64 * 1024


@dataclass(frozen=True)
class Head:
    """The first member.

    Attributes:
        files: At most so many follow, the manifest not counted.
        bytes: At most so many bytes are in them.
        release: Of ocrline, that wrote it.
        created: When (ISO 8601).
        database: Of which kind its database is; empty: it has none.
        secrets: Whether passwords and keys are in it.
        format: Of the archive.
    """

    files: int
    bytes: int
    release: str
    created: str
    database: str
    secrets: bool
    format: int = FORMAT


def format_head(head: Head) -> bytes:
    """Write it as JSON."""
    return json.dumps(asdict(head)).encode()


def parse_head(data: bytes, *, source: str) -> Head:
    """Read it back.

    Raises:
        BadData: It is none.
        BadInput: A newer release wrote it.
    """
    try:
        said = json.loads(data)
        newer = said["format"] > FORMAT
    except (ValueError, KeyError, TypeError) as error:
        raise BadData(f"{source}: {HEAD} cannot be read: {error!r}") from error
    if newer:
        by = said.get("release")
        raise BadInput(f"{source} was written by a newer ocrline, {by}: update this one first")
    try:
        head = Head(**said)
    except TypeError as error:
        raise BadData(f"{source}: {HEAD} cannot be read: {error}") from error
    if not all(type(number) is int and number >= 0 for number in (head.files, head.bytes)):
        raise BadData(f"{source}: {HEAD} says {head.files!r} files of {head.bytes!r} bytes")
    return head
