import re
from dataclasses import replace

import pytest

from ocr.dataset.lines.validation import find_text_fault
from ocr.dataset.quarantine import Reason
from ocr.models.charset import Charset
from tests.ocr.dataset.rules import LINE_LIMITS

LIMITS = replace(LINE_LIMITS, max_text_length=8)


@pytest.mark.parametrize(
    "text",
    ["A", "**", "##", "# ###", "皖A12345", "a b\u3000c", "12345678", "№½", "नमस्ते", "می\u200cرود"],
)
def test_ordinary_text_has_no_fault(text: str) -> None:
    assert find_text_fault(text, limits=LIMITS, charset=None) is None


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("", "empty_text", "no text"),
        ("*", "illegible", r"'\*' marks a text that nobody could read; limits.allow_illegible"),
        ("###", "illegible", "'###' marks a text"),
        ("123456789", "text_too_long", "9 characters, allowed are 8"),
        ("a\x00b", "control_character", r"U\+0000"),
        ("a\x1bb", "control_character", r"U\+001B"),
        ("a\rb", "control_character", r"U\+000D"),
        ("a\x85b", "control_character", r"U\+0085"),
        ("a\u2028b", "control_character", r"U\+2028"),
        ("a\u200bb", "control_character", r"U\+200B"),
        ("\ufeffab", "control_character", r"U\+FEFF"),
        ("a\u202eb", "control_character", r"U\+202E"),
        ("a\ud800b", "control_character", r"U\+D800"),
        ("AXB", "unknown_character", "'X' is not in the charset$"),
        ("A B", "unknown_character", "' ' is not in the charset; add a line with one space"),
    ],
)
def test_bad_text_has_one_reason_and_says_the_value(text: str, reason: Reason, detail: str) -> None:
    fault = find_text_fault(text, limits=LIMITS, charset=Charset(("A", "B")))

    assert fault is not None
    assert fault.reason == reason
    assert re.search(detail, fault.detail)


@pytest.mark.parametrize("text", ["*", "###"])
def test_illegible_marks_are_texts_where_they_are_allowed(text: str) -> None:
    limits = replace(LIMITS, allow_illegible=True)

    assert find_text_fault(text, limits=limits, charset=None) is None
