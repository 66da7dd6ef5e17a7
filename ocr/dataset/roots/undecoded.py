"""Names of files whose bytes are no UTF-8, as an archive of Windows leaves behind: often GBK.

Two bytes of GBK may be a letter of UTF-8 (鲁 is ³), which the names beside it tell apart. Three
bytes that are one, as of hanzi in UTF-8, never come of the common hanzi (level 1 of GB 2312): they
begin with E0 to EF, those with B0 to D7.
"""

import re
from collections.abc import Collection, Iterator
from typing import Literal

RENAMING = "convmv -r -f gbk -t utf-8 --nosmart --notest FOLDER"
"""The command that gives the files in a folder names of UTF-8, where all are GBK."""
NameKind = Literal["ASCII", "UTF-8", "either", "other"]
_UNDECODED = re.compile("[\udc80-\udcff]")
_THREE_BYTES = "\u0800"


def is_decoded(name: str) -> bool:
    """Tell whether the bytes of a name were of the encoding: others are lone surrogates."""
    return name.isascii() or not _UNDECODED.search(name)


def kind_of_name(name: str) -> NameKind:
    """Say what the bytes of a name are, that was read as UTF-8; either: GBK as well."""
    if name.isascii():
        return "ASCII"
    if not is_decoded(name):
        return "other"
    return "UTF-8" if max(name) >= _THREE_BYTES else "either"


def read_name(name: str, beside: Collection[NameKind], *, is_said: bool) -> tuple[str, bool]:
    """Return what a name says, and whether that is sure; it is read as GBK where it is not.

    Args:
        name: As the system shows it.
        beside: The kinds of all names that were written as this one was, its own among them.
        is_said: Whether somebody said that names which are no UTF-8 are GBK.
    """
    kind = kind_of_name(name)
    if kind == "other":
        return as_gbk(name), is_said and is_gbk(name)
    if kind == "either" and (is_said or "other" in beside):
        return as_gbk(name), is_said and "UTF-8" not in beside
    return name, True


def is_gbk(name: str) -> bool:
    """Tell whether the bytes of a name are no UTF-8, but GBK."""
    try:
        name.encode("utf-8", "surrogateescape").decode("gb18030")
    except UnicodeDecodeError:
        return False
    return not is_decoded(name)


def as_gbk(name: str, *, encoding: str = "utf-8") -> str:
    """Return what a name says if its bytes are GBK, where they were taken for another encoding."""
    return name.encode(encoding, "surrogateescape").decode("gb18030", "backslashreplace")


def read_path(path: str) -> str:
    """Return what a path says, each part as GBK that is that and no UTF-8."""
    return "/".join(as_gbk(part) if is_gbk(part) else part for part in path.split("/"))


def gbk_spellings(name: str) -> Iterator[str]:
    """Yield the names that the system shows of a path whose last parts were written in GBK."""
    parts = name.split("/")
    for at in range(len(parts)):
        inner = "/".join(parts[at:]).encode("gb18030", "backslashreplace")
        yield "/".join([*parts[:at], inner.decode("utf-8", "surrogateescape")])
