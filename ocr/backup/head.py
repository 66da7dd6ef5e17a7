"""What an archive says of itself before all else: how much is in it, and who wrote it."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Final

from ocr.errors import BadData, BadInput

FORMAT: Final = 1
HEAD: Final = "backup.json"
MANIFEST: Final = "SHA256SUMS"
MAX_HEAD_BYTES: Final = 64 * 1024
MOST_NUMBER: Final = 1 << 62
DATABASES: Final = ("", "sqlite", "postgresql")


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
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadData(f"{source}: {HEAD} cannot be read: {error!r:.200}") from error
    if newer:
        by = repr(said.get("release")).strip("'")[:40]
        raise BadInput(f"{source} was written by a newer ocrline, {by}: update this one first")
    try:
        head = Head(**said)
        is_sound = re.fullmatch(r"[0-9A-Za-z.+-]{0,40}", head.release) and re.fullmatch(
            r"[0-9T:.+-]{10,40}", head.created
        )
    except (TypeError, ValueError) as error:
        raise BadData(f"{source}: {HEAD} cannot be read: {error!r:.200}") from error
    if not is_sound or head.database not in DATABASES or type(head.secrets) is not bool:
        raise BadData(f"{source}: {HEAD} says what no release of ocrline does")
    if not all(
        type(number) is int and 0 <= number < MOST_NUMBER for number in (head.files, head.bytes)
    ):
        said = f"{head.files!r:.40} files of {head.bytes!r:.40} bytes"
        raise BadData(f"{source}: {HEAD} says {said}")
    return head
