"""Pages that say the same, however they look: one page scanned or photographed twice.

Looks tell such pages apart (`copies`): a clean page that lies four pixels further on the scanner is
another one. So they are told by what their labels say, and nothing is left out: whether two
photographs of one name plate are one sample is for a person to say.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ocr.dataset.pages.copies import count_words, tally
from ocr.dataset.pages.snapshot import PageSample

LEAST_NUMBERS: Final = 8
"""Of a page: plates and meters have fewer, and the same ones again and again."""
MOST_OTHER: Final = 1
"""Numbers that one has and the other has not: one may be mistyped, a date and an invoice's number
differ by two at least."""
WORD_SHARE: Final = 0.9
"""Of their words that both have, for they are labelled twice."""
MOST_PAGES: Final = 4
"""Pages of a word or number by which they are found; and no more than a fourth of all pages, for
what is printed on every form tells nothing."""
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|[^\W\d_]+")

Positions = NDArray[np.intp]


@dataclass(frozen=True, order=True)
class Rescan:
    """A page of train or val that says what a page of test says."""

    learnt: str
    split: str
    tested: str

    def describe(self) -> str:
        """Say which."""
        return f"{self.learnt} ({self.split}) as {self.tested}"


def find_rescans(pages: Iterable[PageSample]) -> list[Rescan]:
    """Find the pages that are learnt and say what a page of test says, one of test for each.

    Args:
        pages: Of all splits; what texts they have is compared, wherever on the page.
    """
    known = [_Said(page.image, page.split, [each.text for each in page.regions]) for page in pages]
    is_test = np.array([page.split == "test" for page in known], bool)
    pairs = _find_pairs(tally(_tokens(page.texts, _TOKEN) for page in known), is_test)
    numbers = tally(_tokens(page.texts, _NUMBER) for page in known)
    most, common = _compare(numbers, *pairs)
    are_same = (most >= LEAST_NUMBERS) & (common >= most - MOST_OTHER)
    both = np.stack(pairs)[:, are_same]
    alike, places = np.unique(both, return_inverse=True)
    words = count_words([known[place].texts for place in alike])
    most, common = _compare(words, *places.reshape(both.shape))
    of_test, learnt = both[:, common >= WORD_SHARE * most]
    return sorted(
        {
            one: Rescan(known[one].image, known[one].split, known[other].image)
            for other, one in zip(of_test, learnt, strict=True)
        }.values()
    )


class _Said(NamedTuple):
    """What is kept of a page."""

    image: str
    split: str
    texts: Sequence[str]


def _tokens(texts: Sequence[str], kind: re.Pattern[str]) -> Iterator[str]:
    for text in texts:
        yield from kind.findall(text.casefold())


def _find_pairs(tokens: csr_array, is_test: NDArray[np.bool_]) -> tuple[Positions, Positions]:
    """Find pages of test, and beside each another one, with half of what few pages have."""
    pages = tokens.sum(axis=0)
    few = min(MOST_PAGES, max(2, len(is_test) // 4))
    rare = tokens[:, (pages > 1) & (pages <= few)]
    counts = rare.sum(axis=1)
    tested, others = np.flatnonzero(is_test), np.flatnonzero(~is_test)
    common = (rare[tested] @ rare[others].T).tocoo()
    left, right = tested[common.coords[0]], others[common.coords[1]]
    are_many = 2 * common.data >= np.maximum(counts[left], counts[right])
    return left[are_many], right[are_many]


def _compare(
    words: csr_array, left: Positions, right: Positions
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the words of the longer of each two pages, and those that both have: (M,) twice."""
    counts = words.sum(axis=1)
    common = words[left].multiply(words[right]).sum(axis=1)
    return np.maximum(counts[left], counts[right]), np.asarray(common)
