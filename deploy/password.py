"""Secrets of the local services, each in a file that only its owner can read."""

import re
import secrets
from pathlib import Path

from ocr.store.whole import written_whole


def read_or_make_password(path: Path) -> str:
    """Return the ``user:password`` of a file; one that holds none is written anew."""
    said = read_private(path)
    if re.fullmatch(r"[!-9;-~]+:[!-~]+", said):
        return said
    password = f"ocrline:{secrets.token_urlsafe(18)}"
    write_private(path, password)
    return password


def read_private(path: Path) -> str:
    """Return what a file holds; empty: there is none."""
    return path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""


def write_private(path: Path, text: str) -> None:
    """Replace a file as a whole by one that only we can read."""
    with written_whole(path, mode=0o600) as file:
        file.write(text.encode())
