"""Which pages to check first: in turn one that is useful to correct, and one at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Turn = Literal["useful", "random"]
TURNS: Final[Sequence[Turn]] = ("useful", "random")
"""Pages with most to correct make no better model than any, and show what a model gets wrong."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A page to check.

    Attributes:
        index: Which.
        novelty: How unlike it is to the most similar page chosen before it: 0, a copy, to 1.
        turn: Whether it was useful, or drawn at random.
    """

    index: int
    novelty: float
    turn: Turn


@dataclass(frozen=True)
class PageLooks:
    """What pages look like and what they read.

    Attributes:
        hashes: (N, B) bytes, a perceptual hash of each.
        words: (N, W), the words of each, of `ocr.dataset.pages.copies.count_words`.
    """

    hashes: NDArray[np.uint8]
    words: csr_array

    def distances(self, index: int) -> NDArray[np.float64]:
        """How unlike every page is to one: (N,), 0 to 1, the mean of looks and words."""
        return (self._look_distances(index) + self._word_distances(index)) / 2

    def _look_distances(self, index: int) -> NDArray[np.float64]:
        """Share of the bits set in either hash that differ."""
        one = self.hashes[index]
        differing = np.bitwise_count(self.hashes ^ one).sum(axis=1, dtype=np.int64)
        either = np.bitwise_count(self.hashes | one).sum(axis=1, dtype=np.int64)
        return np.asarray(differing / np.maximum(either, 1))

    def _word_distances(self, index: int) -> NDArray[np.float64]:
        """Share of the words of the longer page that the other does not have."""
        common = (self.words @ self.words[[index]].T).toarray().ravel()
        sizes = self.words.sum(axis=1)
        most = np.maximum(sizes, sizes[index])
        return np.asarray((most - common) / np.maximum(most, 1))


def choose_pages(
    doubts: Sequence[float],
    looks: PageLooks,
    lots: Sequence[bytes],
    *,
    budget: int,
    known: Sequence[int] = (),
    turns: Sequence[Turn] = TURNS,
) -> list[Choice]:
    """Choose pages in turns, so that the first ones, however many, are as mixed as all.

    A page is worth its doubt times its novelty, greedily: the next useful page is the one worth
    most beside all that are chosen. So ten copies of a template are not the first ten, and a
    strange page on which all is sure waits. A page at random is the one with the lowest lot.

    Args:
        doubts: How many lines of each page are expected to be wrong.
        looks: What the pages look like and read.
        lots: What each page draws.
        budget: Most pages to choose.
        known: Pages that were chosen before, and are not chosen again.
        turns: What is chosen in turn, over and over.
    """
    drawn = iter(sorted(range(len(doubts)), key=lambda index: lots[index]))
    novelty, worth = np.ones(len(doubts)), np.asarray(doubts, np.float64)
    is_free = np.ones(len(doubts), np.bool_)
    choices: list[Choice] = []
    for index in known:
        is_free[index] = False
        novelty = np.minimum(novelty, looks.distances(index))
    for turn, _ in zip(cycle(turns), range(min(budget, int(is_free.sum()))), strict=False):
        if turn == "useful":
            index = int(np.argmax(np.where(is_free, worth * novelty, -1.0)))
        else:
            index = next(index for index in drawn if is_free[index])
        choices.append(Choice(index, float(novelty[index]), turn))
        is_free[index] = False
        novelty = np.minimum(novelty, looks.distances(index))
    return choices
