"""Characters of labels that nobody can have read."""

import pytest

from ocr.dataset.labels.hidden import find_hidden


@pytest.mark.parametrize("text", ["", "合计 12.50", "می\u200cرود", "한글\u3164", "\u2764\ufe0f"])
def test_what_shows_something_or_is_a_joiner_is_no_fault(text: str) -> None:
    assert find_hidden(text) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [("A\u200bB\x07", "holds U+200B U+0007"), ("\ud83d", "holds U+D83D"), ("a\ufeff", "U+FEFF")],
)
def test_what_shows_nothing_is_named_by_code_point(text: str, named: str) -> None:
    fault = find_hidden(text)

    assert fault is not None
    assert fault.reason == "control_character"
    assert named in fault.detail


def test_what_a_program_could_not_decode_is_not_learnt() -> None:
    """As a label file of GBK looks that was read as UTF-8 and saved again."""
    fault = find_hidden("合计\ufffd\ufffd12.50")

    assert fault is not None
    assert fault.reason == "control_character"
    assert fault.detail.startswith("holds U+FFFD: decoded wrongly")
