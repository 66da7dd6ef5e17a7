import io

import pytest

from ocr.dataset.labels.encoding import Encoding, decode_labels, read_lines
from ocr.errors import BadData

TEXT = "a.jpg\t皖A12345\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (TEXT.encode("gbk"), "gb18030"),
        (TEXT.encode("gb18030"), "gb18030"),
        (f"\ufeff{TEXT}".encode("gb18030"), "gb18030"),
    ],
)
def test_labels_decode_without_their_mark(data: bytes, encoding: Encoding) -> None:
    assert decode_labels(data, encoding=encoding, name="rec.txt") == TEXT
    assert list(read_lines(io.BytesIO(data), encoding=encoding, name="rec.txt")) == [TEXT]


def test_a_file_of_gbk_whose_characters_are_some_of_utf_8_as_well_is_what_was_said() -> None:
    text = "a.jpg\t鲁A12345\nb.jpg\t豫B2\n"
    data = text.encode("gbk")

    assert data.decode() == "a.jpg\t³A12345\nb.jpg\tԥB2\n"
    assert decode_labels(data, encoding="gb18030", name="rec.txt") == text
    assert "".join(read_lines(io.BytesIO(data), encoding="gb18030", name="rec.txt")) == text


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_plain_ascii_is_both(encoding: Encoding) -> None:
    assert decode_labels(b"a.jpg\tA\n", encoding=encoding, name="rec.txt") == "a.jpg\tA\n"


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (
            b"a.jpg\tA\n" + TEXT.encode("gbk"),
            "utf-8",
            r"rec\.txt, line 2: byte 0xcd is not utf-8; .* set dataset\.encoding=gb18030",
        ),
        (b"a.jpg\t\xff\n", "utf-8", r"line 1: byte 0xff is not utf-8; save the file as UTF-8"),
        (TEXT.encode(), "gb18030", r"rec\.txt is UTF-8, .* set dataset\.encoding=utf-8"),
        (b"a.jpg\tA\nb\t\xff\xff\n", "gb18030", r"line 2: byte 0xff is not gb18030"),
        (TEXT.encode("utf-16"), "utf-8", r"rec\.txt is UTF-16"),
    ],
)
def test_another_encoding_is_refused_with_the_fix(
    data: bytes, encoding: Encoding, message: str
) -> None:
    with pytest.raises(BadData, match=message):
        decode_labels(data, encoding=encoding, name="rec.txt")
    with pytest.raises(BadData, match=message):
        list(read_lines(io.BytesIO(data), encoding=encoding, name="rec.txt"))


def test_lines_end_where_they_are_said_to_end() -> None:
    data = b"a\x0b1\r\nb\rc\n"

    plain = read_lines(io.BytesIO(data), encoding="utf-8", name="rec.txt")
    of_any_end = read_lines(io.BytesIO(data), encoding="utf-8", name="rec.csv", ends="")

    assert list(plain) == ["a\x0b1\r\n", "b\rc\n"]
    assert list(of_any_end) == ["a\x0b1\r\n", "b\r", "c\n"]


def test_lines_before_a_fault_are_read_one_by_one() -> None:
    data = io.BytesIO(b"a.jpg\tA\n" * 100_000 + b"\xff\n")
    lines = read_lines(data, encoding="utf-8", name="rec.txt")

    assert next(lines) == "a.jpg\tA\n"
    assert data.tell() < 100_000
    with pytest.raises(BadData, match="line 100001: byte 0xff is not utf-8"):
        list(lines)
