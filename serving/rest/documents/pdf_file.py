"""A PDF, written object by object (ISO 32000-1, 7.3 and 7.5)."""

import zlib
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Final

_HEADER: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"  # four bytes beyond ASCII: it is no text file
_CATALOG: Final = 1
_PAGES: Final = 2


class PdfFile:
    """Objects, of which some are pages; the same objects give the same bytes.

    A value of an object is a mapping, a sequence, a number, or a text in PDF's own syntax, such as
    `/Name` or the reference that `add` returned.
    """

    def __init__(self) -> None:
        self._objects: dict[int, bytes] = {_CATALOG: b"", _PAGES: b""}
        self._pages: list[str] = []

    def add(self, **values: object) -> str:
        """Add an object; return the reference to it."""
        return self._add(_syntax(values).encode())

    def add_stream(self, data: bytes, **values: object) -> str:
        """Add a stream, compressed unless `Filter` says how it is; return the reference to it."""
        if "Filter" not in values:
            data, values = zlib.compress(data), {**values, "Filter": "/FlateDecode"}
        head = _syntax({**values, "Length": len(data)}).encode()
        return self._add(b"".join((head, b"\nstream\n", data, b"\nendstream")))

    def add_page(self, **values: object) -> None:
        """Add the next page."""
        self._pages.append(self.add(Type="/Page", Parent=_reference(_PAGES), **values))

    def to_bytes(self) -> bytes:
        """Return the whole file."""
        pages = {"Type": "/Pages", "Kids": self._pages, "Count": len(self._pages)}
        catalog = {"Type": "/Catalog", "Pages": _reference(_PAGES)}
        objects = {**self._objects, _CATALOG: _syntax(catalog).encode()}
        objects[_PAGES] = _syntax(pages).encode()
        parts = [_HEADER, *(b"%d 0 obj\n%b\nendobj\n" % each for each in objects.items())]
        *starts, end = accumulate(map(len, parts))
        return b"".join((*parts, _cross_references(starts), b"startxref\n%d\n%%%%EOF\n" % end))

    def _add(self, content: bytes) -> str:
        number = len(self._objects) + 1
        self._objects[number] = content
        return _reference(number)


def _reference(number: int) -> str:
    return f"{number} 0 R"


def _syntax(value: object) -> str:
    if isinstance(value, Mapping):
        return f"<<{' '.join(f'/{key} {_syntax(each)}' for key, each in value.items())}>>"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{' '.join(map(_syntax, value))}]"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _cross_references(starts: list[int]) -> bytes:
    """Return table and trailer; each entry has 20 bytes."""
    entries = ("0000000000 65535 f \n", *(f"{start:010} 00000 n \n" for start in starts))
    trailer = _syntax({"Size": len(entries), "Root": _reference(_CATALOG)})
    return f"xref\n0 {len(entries)}\n{''.join(entries)}trailer\n{trailer}\n".encode()
