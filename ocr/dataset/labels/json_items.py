"""Items of a list in a JSON document, one at a time in memory."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

import ijson

from ocr.dataset.labels.encoding import Encoding
from ocr.errors import BadData


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
        BadData: Once the items before the fault are out: it is no JSON, of another encoding, or
            has no such items at all.
    """
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)
    source = file if encoding == "utf-8" else _Recoded(file, encoding)
    has_items = False
    try:
        for item in ijson.items(source, f"{field}.item", use_float=True):
            has_items = True
            yield item
    except (ijson.JSONError, UnicodeError) as error:
        raise BadData(f"{name} is no JSON in {encoding}: {_first_line(error)}") from error
    if not has_items:
        raise BadData(f"{name} has no {field}, or an empty one")


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
