"""Names of files whose bytes are no UTF-8, as an archive of Windows leaves behind: often GBK."""

import re
from collections.abc import Iterator

RENAMING = "convmv -r -f gbk -t utf-8 --notest FOLDER"
"""The command that gives all files in a folder names of UTF-8."""
_UNDECODED = re.compile("[\udc80-\udcff]")


def is_decoded(name: str) -> bool:
    """Tell whether the bytes of a name were of the encoding: others are lone surrogates."""
    return name.isascii() or not _UNDECODED.search(name)


def as_gbk(name: str, *, encoding: str = "utf-8") -> str:
    """Return what a name says if its bytes are GBK, where they were taken for another encoding."""
    return name.encode(encoding, "surrogateescape").decode("gb18030", "backslashreplace")


def gbk_spellings(name: str) -> Iterator[str]:
    """Yield the names that the system shows of a path whose last parts were written in GBK."""
    parts = name.split("/")
    for at in range(len(parts)):
        inner = "/".join(parts[at:]).encode("gb18030", "backslashreplace")
        yield "/".join([*parts[:at], inner.decode("utf-8", "surrogateescape")])
