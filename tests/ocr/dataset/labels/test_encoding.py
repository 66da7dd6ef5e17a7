import pytest

from ocr.dataset.labels.encoding import Encoding, decode_labels
from ocr.errors import BadData

TEXT = "a.jpg\t皖A12345\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (TEXT.encode("gbk"), "gb18030"),
        (TEXT.encode("gb18030"), "gb18030"),
    ],
)
def test_labels_decode_without_their_mark(data: bytes, encoding: Encoding) -> None:
    assert decode_labels(data, encoding=encoding, name="rec.txt") == TEXT


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
