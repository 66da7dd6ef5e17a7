from collections.abc import Sequence

import numpy as np

from ocr.dataset.pages.copies import count_words
from ocr.proposal.usefulness import TURNS, Choice, PageLooks, Turn, choose_pages

ALIKE = b"\xff" * 8 + b"\0" * 24


USEFUL: Sequence[Turn] = ("useful",)


def looks(*pages: tuple[bytes, Sequence[str]]) -> PageLooks:
    hashes = np.array([list(page_hash) for page_hash, _ in pages], np.uint8)
    return PageLooks(hashes, count_words([words for _, words in pages]))


UNLIKE = looks(
    *((bytes([0] * n + [255] * 8 + [0] * (24 - n)), [f"page{n}"]) for n in (0, 8, 16, 24))
)


def choose(
    doubts: Sequence[float],
    pages: PageLooks,
    *,
    budget: int = 10,
    known: Sequence[int] = (),
    lots: Sequence[int] = range(10),
    turns: Sequence[Turn] = USEFUL,
) -> list[Choice]:
    drawn = [bytes([lot]) for lot in lots]
    return choose_pages(doubts, pages, drawn, budget=budget, known=known, turns=turns)


def indexes(doubts: Sequence[float], pages: PageLooks, *, budget: int = 10) -> list[int]:
    return [choice.index for choice in choose(doubts, pages, budget=budget)]


def test_pages_with_most_to_correct_come_first_where_all_are_unlike() -> None:
    assert indexes([1, 4, 2, 3], UNLIKE) == [1, 3, 2, 0]


def test_no_more_than_the_budget_is_chosen() -> None:
    assert indexes([1, 4, 2, 3], UNLIKE, budget=2) == [1, 3]


def test_a_page_like_none_comes_before_the_copies_of_a_template() -> None:
    copies = [(ALIKE, ["total", "date", str(number)]) for number in range(3)]
    pages = looks(*copies, (ALIKE[::-1], ["letter"]))

    choices = choose([5, 5.1, 5, 3], pages, budget=4)

    assert [choice.index for choice in choices] == [1, 3, 0, 2]
    assert [round(choice.novelty, 2) for choice in choices] == [1.0, 1.0, 0.17, 0.17]


def test_pages_chosen_before_are_not_chosen_again_and_their_copies_wait() -> None:
    pages = looks(
        (ALIKE, ["total"]), (ALIKE, ["total"]), (ALIKE[::-1], ["letter"]), (ALIKE, ["sum"])
    )

    choices = choose([9, 9, 1, 1], pages, budget=4, known=[0])

    assert [choice.index for choice in choices] == [2, 3, 1]
    assert choices[-1].novelty == 0


def test_pages_on_which_nothing_is_doubtful_come_last() -> None:
    assert indexes([0, 1, 0, 2], UNLIKE) == [3, 1, 0, 2]


def test_empty_pages_can_be_compared() -> None:
    empty = looks((b"\0" * 32, []), (b"\0" * 32, []))

    assert indexes([0, 0], empty) == [0, 1]


def test_every_other_page_is_drawn_at_random_so_that_any_first_ones_are_half_and_half() -> None:
    choices = choose_pages([1, 4, 2, 3], UNLIKE, [b"b", b"a", b"c", b"d"], budget=4)

    assert [(choice.index, choice.turn) for choice in choices] == [
        (1, "useful"),
        (0, "random"),
        (3, "useful"),
        (2, "random"),
    ]


def test_a_page_that_was_drawn_makes_its_copies_less_useful() -> None:
    pages = looks((ALIKE, ["a"]), (ALIKE[::-1], ["b"]), (ALIKE[::-1], ["b"]), (ALIKE[::-1], ["c"]))

    choices = choose([9, 8, 8, 1], pages, lots=[4, 1, 3, 2], budget=3, turns=TURNS)

    assert [choice.index for choice in choices] == [0, 1, 3]


def test_pages_chosen_before_are_not_drawn_again() -> None:
    choices = choose([1, 4, 2, 3], UNLIKE, lots=[0, 1, 2, 3], known=[0, 2], turns=["random"])

    assert [choice.index for choice in choices] == [1, 3]
