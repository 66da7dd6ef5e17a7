"""What errors say, without the secrets of addresses."""

import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

OPEN_HOSTS = ("json", "jsons", "form", "forms", "xml", "xmls", "mailto", "mailtos")
"""Kinds whose host is an address; elsewhere it is a token."""
SHORTEST = 4
HIDDEN = "***"


def show_url(url: str) -> str:
    """Return what may be seen of an address: its kind, and its host where that is one."""
    kind, _, rest = url.partition("://")
    if kind not in OPEN_HOSTS:
        return f"{kind}://{HIDDEN}"
    return f"{kind}://{_host(rest)}/{HIDDEN}"


def mask(text: str, urls: Iterable[str]) -> str:
    """Return a text in one line, with every part of the addresses hidden."""
    said = " ".join(text.split())
    for part in sorted({p for url in urls for p in _secrets(url)}, key=len, reverse=True):
        said = re.sub(re.escape(part), HIDDEN, said, flags=re.IGNORECASE)
    return said


def _secrets(url: str) -> Iterable[str]:
    kind, _, rest = url.partition("://")
    parts = re.split(r"[/?&=@:#+,\s]", rest)
    if kind in OPEN_HOSTS:
        parts = [part for part in parts if part not in _host(rest).split(":")]
    for part in parts:
        for spelled in (part, unquote(part), quote(part, safe=""), quote(unquote(part), safe="")):
            if len(spelled) >= SHORTEST:
                yield spelled


def _host(rest: str) -> str:
    return re.split(r"[/?]", rest, maxsplit=1)[0].rpartition("@")[2]
