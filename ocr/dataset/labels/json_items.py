"""Items of a list in a JSON document, one at a time in memory."""

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import ijson
from ijson.common import ObjectBuilder

from ocr.dataset.labels.encoding import Encoding, refuse_others
from ocr.errors import BadData

_DEEPEST = 64
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][\da-fA-F]{2})|.|\Z)",
    re.DOTALL,
)
"""What is escaped in a string; its group is half a character alone."""
_LONGEST_ESCAPE = 12
_OPENING, _CLOSING = ("start_map", "start_array"), ("end_map", "end_array")


def read_json_items(
    file: BinaryIO, *, field: str, encoding: Encoding, name: str
) -> Iterator[object]:
    """Yield the items of the list that a field of the document holds.

    Args:
        file: The document, read from its start; a byte order mark is dropped.
        field: Name of the field.
        encoding: Of the file.
        name: Its name, for messages.

    Raises:
        OtherEncoding: It is UTF-8, and that is not what was said.
        BadData: It is UTF-16, or, once the items before the fault are out: it is no JSON, of
            another encoding, nested deeper than any labels are, or has no such items at all.
    """
    refuse_others(file, encoding=encoding, name=name)
    start = file.tell()
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(start)
    source = _Whole(file if encoding == "utf-8" else _Recoded(file, encoding))
    has_items = False
    try:
        for item in _items(ijson.basic_parse(source, use_float=True), field, name=name):
            has_items = True
            yield item
    except (ijson.JSONError, UnicodeError) as error:
        raise BadData(f"{name} is no JSON in {encoding}: {_first_line(error)}") from error
    if not has_items:
        raise BadData(f"{name} has no {field}, or an empty one")


def _items(events: Iterable[tuple[str, object]], field: str, *, name: str) -> Iterator[object]:
    """Put items together from what the parser meets.

    `ijson.items` keeps a path of each level: 100 kB of brackets would take it 20 GB.
    """
    depth, is_inside = 0, False
    key: object = None
    builder = ObjectBuilder()
    for event, value in events:
        depth += (event in _OPENING) - (event in _CLOSING)
        if depth > _DEEPEST:
            raise BadData(f"{name} is nested more than {_DEEPEST} deep, which no labels are")
        if depth == 1:
            is_inside = False
            key = value if event == "map_key" else key
        elif depth == 2 and event in _OPENING:
            is_inside = event == "start_array" and key == field
        elif is_inside:
            builder.event(event, value)
            if depth == 2:
                yield builder.value
                builder = ObjectBuilder()


class _Whole:
    """JSON in which half a character that is escaped alone, as U+D83D, is U+FFFD.

    The parser makes it a question mark, or another character of it and of what follows.
    """

    def __init__(self, file: "BinaryIO | _Recoded") -> None:
        self._file, self._rest = file, b""

    def read(self, size: int) -> bytes:
        while block := self._file.read(size):
            data = self._rest + block
            end = self._find_end(data)
            self._rest = data[end:]
            if end:
                return _mend(data[:end])
        last, self._rest = self._rest, b""
        return _mend(last)

    def _find_end(self, data: bytes) -> int:
        """Find where what is not yet whole begins."""
        last = len(data) - _LONGEST_ESCAPE
        escapes = (escape.start() for escape in _ESCAPE.finditer(data))
        return next((start for start in escapes if start > last), len(data))


def _mend(data: bytes) -> bytes:
    return _ESCAPE.sub(lambda escape: b"\\ufffd" if escape[1] else escape[0], data)


class _Recoded:
    """A file of another encoding, read as UTF-8, which is all that the parser takes."""

    def __init__(self, file: BinaryIO, encoding: Encoding) -> None:
        self._text = codecs.getreader(encoding)(file)

    def read(self, size: int) -> bytes:
        return self._text.read(size).encode()


def _first_line(error: Exception) -> str:
    """What the parser says, which may be bytes, without the text around the fault."""
    said = error.args[0] if error.args else ""
    return (said.decode(errors="replace") if isinstance(said, bytes) else str(error)).split("\n")[0]
