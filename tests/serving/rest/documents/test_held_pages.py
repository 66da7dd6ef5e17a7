"""What a page takes of the budget of answers: its texts and its pictures."""

from typing import Any

import pytest

from serving.metrics import ServingMetrics
from serving.problems import Problem
from serving.rest.budget import Budget
from serving.rest.documents.reader import BYTES_A_TEXT, hold

LINE: dict[str, Any] = {"text": "1", "words": [{"text": "1"}]}


def budget(most: int) -> Budget:
    return Budget(most, unit="bytes of the answers", held=ServingMetrics().answer_bytes)


def test_lines_words_and_pictures_are_held() -> None:
    texts = {"lines": [LINE, {"text": "2"}], "set_aside": [LINE]}
    page = {"page": 1, **texts, "image": "1234", "annotated": "12345"}

    with budget(10**6).account() as answer:
        size = hold(page, answer)

        assert size == answer.taken == 5 * BYTES_A_TEXT + 18


def test_page_that_could_not_be_read_takes_nothing() -> None:
    with budget(0).account() as answer:
        assert hold({"page": 1, "error": {}}, answer) == 0


def test_answer_that_is_too_large_is_refused_and_one_for_which_there_is_no_room_now_waits() -> None:
    both = budget(3 * BYTES_A_TEXT)
    page = {"page": 2, "lines": [LINE]}

    with both.account() as answer, both.account() as other:
        hold(page, answer)
        with pytest.raises(Problem, match="up to page 2 is too large") as too_large:
            hold(page, answer)
        with pytest.raises(Problem, match="try again later") as busy:
            hold(page, other)

    assert (too_large.value.code, busy.value.code) == ("answer_too_large", "busy")
