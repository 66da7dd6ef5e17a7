"""Bytes of a label file to text, refused with the fix where they are something else."""

import codecs
import io
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, Literal

from ocr.dataset.roots.undecoded import kind_of_name
from ocr.errors import BadData

Encoding = Literal["utf-8", "gb18030"]
SPACES = " \u3000"
"""Stripped off both ends of a text; any other white space there is a fault of the row."""
ILLEGIBLE = ("*", "###")
"""What PaddleOCR reads as don't-care (ppocr/data/imaug/label_ops.py, DetLabelEncode)."""
UNREAD = ("TEMPORARY", "待识别")
"""What PPOCRLabel writes for the text of a box until somebody reads it, in all that it exports."""

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GB18030_MARK = "\ufeff".encode("gb18030")
_BLOCK_BYTES = 1 << 20


class OtherEncoding(BadData):
    """A label file of another encoding than was said.

    Attributes:
        fault: The file and what is not as expected, ready for advice to follow.
        encoding: What reads it.
    """

    def __init__(self, fault: str, encoding: Encoding) -> None:
        super().__init__(f"{fault} set dataset.encoding={encoding}")
        self.fault, self.encoding = fault, encoding


def read_lines(file: BinaryIO, *, encoding: Encoding, name: str, ends: str = "\n") -> Iterator[str]:
    """Yield the lines of a label file with their ends, as `decode_labels` decodes them.

    Args:
        file: Read from its start, however long it is.
        encoding: Of the file.
        name: Its name, for messages.
        ends: What ends a line; empty: any line end.

    Raises:
        BadData: As `decode_labels` does, once the lines before the fault are out.
    """
    refuse_others(file, encoding=encoding, name=name)
    text = io.TextIOWrapper(file, encoding=_codec(encoding), newline=ends)
    try:
        yield from text
    except UnicodeDecodeError:
        file.seek(0)
        decode_labels(file.read(), encoding=encoding, name=name)  # says which byte, and the fix
        raise
    finally:
        if not file.closed:
            text.detach()


def decode_labels(data: bytes, *, encoding: Encoding, name: str) -> str:
    """Decode a label file; a byte order mark is dropped.

    Raises:
        OtherEncoding: Naming the file, the line and the setting to change.
        BadData: No setting reads it.
    """
    refuse_others(io.BytesIO(data), encoding=encoding, name=name)
    try:
        return data.decode(_codec(encoding)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = f"{name}, line {line}: byte 0x{data[error.start]:02x} is not {encoding}"
        if encoding == "utf-8" and _is_gb18030(data):
            raise OtherEncoding(f"{fault}; if the file is GBK,", "gb18030") from error
        raise BadData(f"{fault}; save the file as UTF-8") from error


def refuse_others(file: BinaryIO, *, encoding: Encoding, name: str) -> None:
    """Refuse a file that is plainly of another encoding; it is at its first character afterwards.

    Raises:
        OtherEncoding: It is UTF-8, and that is not what was said.
        BadData: It is UTF-16.
    """
    if file.read(2) in _UTF16_MARKS:
        raise BadData(f"{name} is UTF-16, expected {encoding}; save it as UTF-8")
    file.seek(0)
    if encoding == "gb18030" and _is_plainly_utf8(file):
        raise OtherEncoding(f"{name} is UTF-8, expected gb18030;", "utf-8")
    file.seek(0)
    if encoding == "gb18030" and file.read(len(_GB18030_MARK)) != _GB18030_MARK:
        file.seek(0)


def _codec(encoding: Encoding) -> str:
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _is_plainly_utf8(file: BinaryIO) -> bool:
    """Tell UTF-8 by the rule of names: 鲁 and 豫 of plates, in GBK, are its letters ³ and ԥ."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_plain = False
    try:
        for block in iter(partial(file.read, _BLOCK_BYTES), b""):
            is_plain = kind_of_name(decoder.decode(block)) == "UTF-8" or is_plain
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return is_plain


def _is_gb18030(data: bytes) -> bool:
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return True
