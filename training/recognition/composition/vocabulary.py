"""Which character may stand where, learnt from the texts of one length."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FLATTENING = 1 / 3
"""Power of a character's count by which it is drawn: rare ones come far more often than seen."""
FREE_CHOICES = 8.0
"""Positions as varied as this many equally frequent characters are swapped with full chance."""
LEAST_CHANCE = 1 / 3
KINSHIP = 0.1
"""Most that a kindred position may hold of characters not seen here, as a share."""
MANY = 8


@dataclass(frozen=True)
class PositionChoices:
    """What may stand at one position.

    Attributes:
        characters: Sorted.
        cumulative: Their chances, summed up; the last is 1.
        swap_chance: Share of the swap chance that this position gets.
        usual: The character that nearly always stands here, "" where the position is varied.
    """

    characters: tuple[str, ...]
    cumulative: NDArray[np.float64]
    swap_chance: float
    usual: str


class Vocabulary:
    """The characters of each position and how often each is drawn."""

    def __init__(self, texts: Sequence[str], available: Sequence[Collection[str]]) -> None:
        """Learn from texts of one length.

        Args:
            texts: What the crops read.
            available: Of each position, the characters that can be painted there.
        """
        columns = [Counter(column) for column in zip(*texts, strict=True)]
        self.positions = [
            _choices(counts, _add_unseen(counts, columns), characters)
            for counts, characters in zip(columns, available, strict=True)
        ]

    def draw(self, rng: np.random.Generator, *, swap_share: float) -> list[tuple[int, str]]:
        """Positions to swap and the character to put there, which may be the one it has.

        Args:
            rng: Source of randomness.
            swap_share: Chance of a position with many characters; others get less.
        """
        chances, picks = rng.random((2, len(self.positions)))
        return [
            (position, choices.characters[np.searchsorted(choices.cumulative, pick, "right")])
            for position, (choices, chance, pick) in enumerate(
                zip(self.positions, chances, picks, strict=True)
            )
            if chance < swap_share * choices.swap_chance
        ]

    def is_rare(self, text: str) -> bool:
        """Whether a position that nearly always holds one character holds another."""
        return any(
            choices.usual not in ("", character)
            for choices, character in zip(self.positions, text, strict=True)
        )


def _add_unseen(counts: Counter[str], columns: Sequence[Counter[str]]) -> Counter[str]:
    """With characters of kindred positions that this one surely lacks by chance only.

    A position whose every character was seen twice is taken for complete, and so is one of few
    characters: the tens of a month are a rule, not a sample.
    """
    if len(counts) < MANY or min(counts.values()) > 1:
        return counts
    kin = [other for other in columns if _unseen_share(other, counts) < KINSHIP]
    return Counter(dict.fromkeys((c for other in kin for c in other), 1)) | counts


def _unseen_share(other: Counter[str], counts: Counter[str]) -> float:
    return sum(n for character, n in other.items() if character not in counts) / other.total()


def _choices(
    counts: Counter[str], known: Counter[str], available: Collection[str]
) -> PositionChoices:
    characters = tuple(sorted(set(known) & set(available)))
    shares = np.array(list(counts.values())) / counts.total()
    variety = float(np.exp(-(shares * np.log(shares)).sum()))
    weights = np.array([known[character] for character in characters], float) ** FLATTENING
    cumulative = np.cumsum(weights) / max(float(weights.sum()), 1e-9)
    cumulative[-1:] = 1.0
    chance = min(1.0, max(LEAST_CHANCE, variety / FREE_CHOICES))
    return PositionChoices(
        characters=characters,
        cumulative=cumulative,
        swap_chance=chance if len(characters) > 1 else 0.0,
        usual=max(sorted(counts), key=counts.__getitem__) if shares.max() > 0.5 else "",
    )
