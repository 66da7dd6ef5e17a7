from typing import Any

import pytest

from serving.rest.documents.placed_text import place_lines, writable
from tests.serving.rest.documents.pages import HOSTILE, HOSTILE_KEPT, box, line, page, word


def words(*texts: str) -> list[dict[str, Any]]:
    return [word(text, box(40 * index, 10, 30, 20)) for index, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HOSTILE, HOSTILE_KEPT),
        ("\tTOTAL\r\n12.50\x85", "TOTAL  12.50"),
        ("合计　𠮷 e\u0301", "合计　𠮷 e\u0301"),
        ("\0\ud83d", ""),
    ],
)
def test_text_keeps_what_can_be_written(text: str, expected: str) -> None:
    assert writable(text) == expected


def test_line_of_nothing_is_left_out() -> None:
    lines = place_lines(page(line("\0", box(0, 0, 30, 20)), line("x", box(0, 40, 30, 20))))

    assert [word.text for placed in lines for word in placed.words] == ["x"]


def test_line_without_words_is_one_word() -> None:
    (placed,) = place_lines(page(line("TOTAL 12.50", box(40, 31, 172, 24))))

    assert [word.text for word in placed.words] == ["TOTAL 12.50"]
    assert placed.words[0].corners == placed.corners == (40 + 31j, 212 + 31j, 212 + 55j, 40 + 55j)


@pytest.mark.parametrize(
    ("text", "parts", "spaced"),
    [
        ("TOTAL 12.50", ("TOTAL", "12.50"), [True, True]),
        ("合计:12.50 元", ("合计", ":", "12.50", "元"), [False, False, True, True]),
        ("as misread", ("other", "words"), [True, True]),
    ],
)
def test_space_parts_words_that_the_line_parts(
    text: str, parts: tuple[str, ...], spaced: list[bool]
) -> None:
    (placed,) = place_lines(page(line(text, box(0, 10, 200, 20), words=words(*parts))))

    assert [word.spaced for word in placed.words] == spaced


def test_upright_line_begins_at_its_top_which_was_laid_to_the_left() -> None:
    upright, digit = place_lines(
        page(line("出口", box(100, 50, 20, 80)), line("1", box(200, 50, 8, 20)))
    )

    assert upright.corners == (120 + 50j, 120 + 130j, 100 + 130j, 100 + 50j)
    assert digit.corners[0] == 200 + 50j
