"""Which pages to check first: those with most to correct, unlike those checked already."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Choice:
    """A page to check.

    Attributes:
        index: Which.
        novelty: How unlike it is to the most similar page chosen before it: 0, a copy, to 1.
    """

    index: int
    novelty: float


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
    doubts: Sequence[float], looks: PageLooks, *, budget: int, known: Sequence[int] = ()
) -> list[Choice]:
    """Choose pages, the most useful first.

    A page is worth its doubt times its novelty, greedily: the next page is the one worth most
    beside all that are chosen. So ten copies of a template are not the first ten, and a
    strange page on which all is sure waits.

    Args:
        doubts: How many lines of each page are expected to be wrong.
        looks: What the pages look like and read.
        budget: Most pages to choose.
        known: Pages that were chosen before, and are not chosen again.
    """
    novelty, worth = np.ones(len(doubts)), np.asarray(doubts, np.float64)
    is_free = np.ones(len(doubts), np.bool_)
    choices: list[Choice] = []
    for index in known:
        is_free[index] = False
        novelty = np.minimum(novelty, looks.distances(index))
    for _ in range(min(budget, int(is_free.sum()))):
        index = int(np.argmax(np.where(is_free, worth * novelty, -1.0)))
        choices.append(Choice(index, float(novelty[index])))
        is_free[index] = False
        novelty = np.minimum(novelty, looks.distances(index))
    return choices
