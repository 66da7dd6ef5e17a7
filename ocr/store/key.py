"""The grammar of keys: one that every store can hold.

No key may be the folder of another: a folder cannot be a file too, and a MinIO server loses one
of the two. So the form of a name tells which it is: an object ends in a suffix that starts with a
letter (`model.onnx`), a folder does not (`plates`, `v1.2`).
"""

import re
from collections.abc import Callable

from ocr.errors import BadInput

SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]*$")
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
MAX_KEY_BYTES = 1024  # S3
MAX_PART_BYTES = 255  # Linux file systems, and MinIO on them


def check_key(key: str) -> str:
    """Return the key, or raise BadInput naming the part that no store could hold."""
    parts = _checked_parts(key)
    for folder in parts[:-1]:
        _check_folder(folder, key=key)
    if not SUFFIX.search(parts[-1]):
        message = f"Key {key!r}: the object {parts[-1]!r} needs a suffix, such as '.json'"
        raise BadInput(message)
    return key


def check_prefix(prefix: str) -> str:
    """Return the folder as a prefix of keys: "" for the whole store, else with its slash."""
    if not prefix:
        return ""
    for folder in _checked_parts(prefix):
        _check_folder(folder, key=prefix)
    return f"{prefix}/"


def is_key(name: str) -> bool:
    """Say whether an object is one of a store, or was put there by something else."""
    return _passes(check_key, name)


def is_folder(name: str) -> bool:
    """Say whether keys may lie in a folder, or something else put it there."""
    return bool(name) and _passes(check_prefix, name)


def _passes(check: Callable[[str], str], name: str) -> bool:
    try:
        check(name)
    except BadInput:
        return False
    return True


def _checked_parts(key: str) -> list[str]:
    if FORBIDDEN.search(key):
        raise BadInput(f"Key {key!r} holds a control character or a backslash")
    if len(key.encode("utf-8", "surrogatepass")) > MAX_KEY_BYTES:
        raise BadInput(f"Key {key[:80]!r}… is longer than {MAX_KEY_BYTES} bytes")
    parts = key.split("/")
    for part in parts:
        _check_part(part, key=key)
    return parts


def _check_part(part: str, *, key: str) -> None:
    if not part:
        raise BadInput(f"Key {key!r} has an empty part; expected folder/folder/object.suffix")
    if part.startswith(".") or part != part.strip():
        message = f"Key {key!r}: {part!r} may not start with a dot nor start or end with a space"
        raise BadInput(message)
    try:
        size = len(part.encode())
    except UnicodeEncodeError as error:
        raise BadInput(f"Key {key!r} is no valid Unicode") from error
    if size > MAX_PART_BYTES:
        raise BadInput(f"Key {key[:80]!r}…: {part[:40]!r}… is longer than {MAX_PART_BYTES} bytes")


def _check_folder(folder: str, *, key: str) -> None:
    if SUFFIX.search(folder):
        message = f"Key {key!r}: the folder {folder!r} may not end in a suffix as objects do"
        raise BadInput(message)
