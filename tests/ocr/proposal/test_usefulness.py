from collections.abc import Sequence

import numpy as np

from ocr.dataset.pages.copies import count_words
from ocr.proposal.usefulness import PageLooks, choose_pages

ALIKE = b"\xff" * 8 + b"\0" * 24


def looks(*pages: tuple[bytes, Sequence[str]]) -> PageLooks:
    hashes = np.array([list(page_hash) for page_hash, _ in pages], np.uint8)
    return PageLooks(hashes, count_words([words for _, words in pages]))


UNLIKE = looks(
    *((bytes([0] * n + [255] * 8 + [0] * (24 - n)), [f"page{n}"]) for n in (0, 8, 16, 24))
)


def indexes(doubts: Sequence[float], pages: PageLooks, *, budget: int = 10) -> list[int]:
    return [choice.index for choice in choose_pages(doubts, pages, budget=budget)]


def test_pages_with_most_to_correct_come_first_where_all_are_unlike() -> None:
    assert indexes([1, 4, 2, 3], UNLIKE) == [1, 3, 2, 0]


def test_no_more_than_the_budget_is_chosen() -> None:
    assert indexes([1, 4, 2, 3], UNLIKE, budget=2) == [1, 3]


def test_a_page_like_none_comes_before_the_copies_of_a_template() -> None:
    copies = [(ALIKE, ["total", "date", str(number)]) for number in range(3)]
    pages = looks(*copies, (ALIKE[::-1], ["letter"]))

    choices = choose_pages([5, 5.1, 5, 3], pages, budget=4)

    assert [choice.index for choice in choices] == [1, 3, 0, 2]
    assert [round(choice.novelty, 2) for choice in choices] == [1.0, 1.0, 0.17, 0.17]


def test_pages_chosen_before_are_not_chosen_again_and_their_copies_wait() -> None:
    pages = looks(
        (ALIKE, ["total"]), (ALIKE, ["total"]), (ALIKE[::-1], ["letter"]), (ALIKE, ["sum"])
    )

    choices = choose_pages([9, 9, 1, 1], pages, budget=4, known=[0])

    assert [choice.index for choice in choices] == [2, 3, 1]
    assert choices[-1].novelty == 0


def test_pages_on_which_nothing_is_doubtful_come_last() -> None:
    assert indexes([0, 1, 0, 2], UNLIKE) == [3, 1, 0, 2]


def test_empty_pages_can_be_compared() -> None:
    empty = looks((b"\0" * 32, []), (b"\0" * 32, []))

    assert indexes([0, 0], empty) == [0, 1]
