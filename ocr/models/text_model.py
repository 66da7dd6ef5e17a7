"""What the texts of a training set are like: counts of character n-grams, a file of a bundle."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.models.array_file import open_arrays
from ocr.models.charset import Charset

ORDER = 4
START = 0
"""Stands before a text ORDER - 1 times; it is the class of the blank, which no text has."""
HEAVIEST = 4.0
MOST_NGRAMS = 200_000
"""Of more, the most frequent are kept: they take half a second and 100 MB to load."""
_NUMBERED = "numbered_ngrams"
"""The name of n-grams in which other numerals than digits are one."""
_NO_NUMERALS = frozenset("什仨兩参幺廾漆阡陌")
"""Have a number in Unicode, and are in texts nearly always none."""
_MOST_BYTES = MOST_NGRAMS * (ORDER + 1) * np.dtype(np.uint32).itemsize + (1 << 14)
"""Of a file, unpacked: the n-grams, Unicode's 1,900 numerals, and what stands before them."""


@dataclass(frozen=True)
class TextModel:
    """Which characters follow which in the training texts, and how much that counts in reading.

    A number is one character here, whatever its numerals (`350`, `叁佰伍拾`) and however many: a
    model knows where numbers stand, and says nothing of which.

    Attributes:
        ngrams: (N, ORDER) classes: characters by their place in the charset, from 1; the first
            numeral's for every number; START before a text, and the charset's size behind it.
        counts: (N,) how often each was seen.
        numerals: (M,) classes of what numbers are written with; none: the decimal digits alone.
        weight: Exponent of what the model makes of a text, beside what the net makes of it; 0: the
            net alone decides.
    """

    ngrams: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    numerals: NDArray[np.uint32]
    weight: float

    def __post_init__(self) -> None:
        if (
            self.ngrams.ndim != 2
            or self.ngrams.shape[1] != ORDER
            or self.counts.shape != self.ngrams.shape[:1]
            or self.numerals.ndim != 1
            or {each.dtype for each in (self.ngrams, self.counts, self.numerals)}
            != {np.dtype(np.uint32)}
            or not self.counts.all()
        ):
            raise BadData(
                f"Expected counted {ORDER}-grams and numerals, got {self.ngrams.shape} "
                f"{self.counts.shape} {self.numerals.shape}"
            )
        if not 0 <= self.weight <= HEAVIEST:
            raise BadData(
                f"The weight of a text model is {self.weight}, allowed is 0 to {HEAVIEST}"
            )

    def write(self, path: Path) -> None:
        """Write the file of a bundle.

        A release that knows digits alone would misread other numerals: it finds no `ngrams` then.
        """
        counted: dict[str, Any] = {"ngrams": self.ngrams}
        if len(self.numerals):
            counted = {_NUMBERED: self.ngrams, "numerals": self.numerals}
        weight = np.array(self.weight, dtype=np.float64)
        np.savez_compressed(path, **counted, counts=self.counts, weight=weight)

    @classmethod
    def read(cls, path: Path) -> "TextModel":
        """Read the file of a bundle, refusing pickles.

        Raises:
            BadData: It is damaged, or larger than any that was written.
        """
        with open_arrays(path, kind="text model", most_bytes=_MOST_BYTES) as stored:
            is_numbered = _NUMBERED in stored
            ngrams = stored[_NUMBERED if is_numbered else "ngrams"]
            numerals = stored["numerals"] if is_numbered else np.empty(0, np.uint32)
            return cls(ngrams, stored["counts"], numerals, stored.number("weight"))


def count_ngrams(
    texts: Iterable[str], charset: Charset
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Count the n-grams of texts; see `TextModel.ngrams`, `.counts` and `.numerals`.

    A text with a character that the charset lacks is left out.
    """
    counted: Counter[tuple[int, ...]] = Counter()
    digits = find_digits(charset)
    known = enumerate(charset.characters, start=1)
    numerals = {n for n, c in known if c.isnumeric() and c not in _NO_NUMERALS}
    folded = fold_numerals(numerals, charset)
    number = min(numerals, default=None)
    for text in texts:
        if charset.unknown(text):
            continue
        classes = [folded[k] for k in charset.encode(text)]
        numbers_as_one = [
            k for at, k in enumerate(classes) if k != number or classes[at - 1 : at] != [k]
        ]
        line = [START] * (ORDER - 1) + numbers_as_one + [charset.size]
        counted.update(zip(*(line[place:] for place in range(ORDER)), strict=False))
    kept = sorted(sorted(counted, key=lambda ngram: (-counted[ngram], ngram))[:MOST_NGRAMS])
    return (
        np.array(kept, dtype=np.uint32).reshape(-1, ORDER),
        np.array([counted[ngram] for ngram in kept], dtype=np.uint32),
        np.array(sorted(numerals) if numerals != digits else (), dtype=np.uint32),
    )


def fold_numerals(numerals: Collection[int], charset: Charset) -> list[int]:
    """Return the class that stands for each class in n-grams: for numerals that of the first."""
    first = min(numerals, default=0)
    return [first if place in numerals else place for place in range(charset.size + 1)]


def find_digits(charset: Charset) -> set[int]:
    """Return the classes of the decimal digits, of any script."""
    return {n for n, c in enumerate(charset.characters, start=1) if c.isdecimal()}
