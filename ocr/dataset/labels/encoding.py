"""Bytes of a label file to text, refused with the fix where they are something else."""

import codecs
from typing import Literal

from ocr.errors import BadData

Encoding = Literal["utf-8", "gb18030"]
SPACES = " \u3000"
"""Stripped off both ends of a text; any other white space there is a fault of the row."""
ILLEGIBLE = ("*", "###")
"""What PaddleOCR reads as don't-care (ppocr/data/imaug/label_ops.py, DetLabelEncode)."""

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode_labels(data: bytes, *, encoding: Encoding, name: str) -> str:
    """Decode a label file; a byte order mark is dropped.

    Raises:
        BadData: Naming the file, the line and the setting to change.
    """
    if data.startswith(_UTF16_MARKS):
        raise BadData(f"{name} is UTF-16, expected {encoding}; save it as UTF-8")
    if encoding == "gb18030" and _is_utf8_beyond_ascii(data):
        raise BadData(f"{name} is UTF-8, expected gb18030; set dataset.encoding=utf-8")
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadData(
            f"{name}, line {line}: byte 0x{data[error.start]:02x} is not {encoding}; "
            f"{_advice(data, encoding)}"
        ) from error


def _is_utf8_beyond_ascii(data: bytes) -> bool:
    if data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _advice(data: bytes, encoding: Encoding) -> str:
    if encoding == "gb18030":
        return "save the file as UTF-8"
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return "save the file as UTF-8"
    return "if the file is GBK, set dataset.encoding=gb18030"
