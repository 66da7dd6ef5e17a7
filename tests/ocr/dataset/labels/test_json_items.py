"""Texts of JSON as the items of a list have them."""

import io
import json

import pytest

from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.labels.json_items import read_json_items

BLOCK_BYTES = 1 << 16
"""That the parser reads at once."""
ESCAPED = {
    r"\ud83d\ude00": "😀",
    r"\ud83d": "\ufffd",
    r"\uDE00": "\ufffd",
    r"\ud83dA": "\ufffdA",
    r"\ud83d\u0041": "\ufffdA",
    r"\ud83d\ud83d\ude00": "\ufffd😀",
    r"\\ud83d": r"\ud83d",
    r"\\\ud83d\\": "\\\ufffd\\",
    r"\u9c81\"\/": '鲁"/',
}


def read(document: str, encoding: Encoding = "utf-8") -> list[object]:
    file = io.BytesIO(document.encode(encoding))
    return list(read_json_items(file, field="items", encoding=encoding, name="a.json"))


@pytest.mark.parametrize(("written", "text"), ESCAPED.items())
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_half_a_character_is_one_that_was_lost(written: str, text: str, encoding: Encoding) -> None:
    assert read(f'{{"items": [{{"a": "{written}"}}, {{"a": "皖"}}]}}', encoding) == [
        {"a": text},
        {"a": "皖"},
    ]


@pytest.mark.parametrize("written", ESCAPED)
def test_it_is_wherever_the_parser_stops_to_read_on(written: str) -> None:
    start = '{"items": [{"a": "'
    for place in range(BLOCK_BYTES - 16, BLOCK_BYTES + 2):
        padding = "x" * (place - len(start))

        assert read(f'{start}{padding}{written}"}}]}}') == [{"a": padding + ESCAPED[written]}]


def test_a_document_of_a_few_bytes_is_read() -> None:
    assert read(json.dumps({"items": [{}]})) == [{}]
