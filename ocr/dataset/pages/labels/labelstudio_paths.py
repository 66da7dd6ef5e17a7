"""From the image reference of a Label Studio task to a path under the dataset's root.

A reference is an upload (`/data/upload/2/1a2b3c4d-page.png`, the hash being Label Studio's), a
file of a local storage (`/data/local-files/?d=scans/page.png`), a URL, or a path as imported.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ocr.image.header import IMAGE_SUFFIXES

_FIRST_KEYS = ("image", "ocr")
_UPLOAD_HASH = re.compile(r"^[0-9a-f]{8}-")


def find_image(data: object, *, exists: Callable[[str], bool]) -> str:
    """Find the image of a task's `data`; empty where it names none.

    The reference's path is tried as it is, then without its leading folders one by one, then
    without the hash of an upload. Where there is none of these, the first is returned.
    """
    written = _reference(data) if isinstance(data, Mapping) else ""
    if not written:
        return ""
    candidates = list(_candidates(written))
    return next(filter(exists, candidates), candidates[0])


def _reference(data: Mapping[str, Any]) -> str:
    strings = {key: value for key, value in data.items() if isinstance(value, str) and value}
    for key in _FIRST_KEYS:
        if key in strings:
            return strings[key]
    return next((s for s in strings.values() if s.lower().endswith(IMAGE_SUFFIXES)), "")


def _candidates(written: str) -> Iterator[str]:
    if not _is_reference(written):
        yield written
        return
    parts = urlsplit(written)
    local = parse_qs(parts.query).get("d") if parts.path.endswith("/local-files/") else None
    path = (local[0] if local else unquote(parts.path)).lstrip("/")
    folders = path.split("/")
    for at in range(len(folders)):
        yield "/".join(folders[at:])
    yield _UPLOAD_HASH.sub("", folders[-1])


def _is_reference(written: str) -> bool:
    return "://" in written or written.startswith(("/data/", "data/local-files/"))
