"""Which character may stand where, learnt from the texts of one length."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

FLATTENING = 1 / 3
"""Power of a character's count by which it is drawn: rare ones come far more often than seen."""
FREE_CHOICES = 8.0
"""Positions as varied as this many equally frequent characters are swapped with full chance."""
LEAST_CHANCE = 1 / 3


@dataclass(frozen=True)
class PositionChoices:
    """What may stand at one position.

    Attributes:
        characters: Sorted.
        shares: How often each is drawn.
        swap_chance: Share of the swap chance that this position gets.
    """

    characters: tuple[str, ...]
    shares: NDArray[np.float64]
    swap_chance: float


class Vocabulary:
    """The characters seen at each position and how often each is drawn."""

    def __init__(self, texts: Sequence[str], is_legible: NDArray[np.bool_]) -> None:
        """Learn from texts of one length, from those characters (N, P) that can be painted."""
        self.positions = [
            _choices(Counter(compress(column, shown)))
            for column, shown in zip(zip(*texts, strict=True), is_legible.T, strict=True)
        ]

    def draw(self, rng: np.random.Generator, *, swap_share: float) -> dict[int, str]:
        """Positions to swap and the character to put there, which may be the one it has.

        Args:
            rng: Source of randomness.
            swap_share: Chance of a position with many characters; others get less.
        """
        return {
            position: str(rng.choice(choices.characters, p=choices.shares))
            for position, choices in enumerate(self.positions)
            if rng.random() < swap_share * choices.swap_chance
        }


def _choices(counts: Counter[str]) -> PositionChoices:
    characters = tuple(sorted(counts))
    shares = np.array([counts[character] for character in characters]) / counts.total()
    variety = float(np.exp(-(shares * np.log(shares)).sum()))
    weights = shares**FLATTENING
    chance = min(1.0, max(LEAST_CHANCE, variety / FREE_CHOICES))
    return PositionChoices(
        characters=characters,
        shares=weights / weights.sum(),
        swap_chance=chance if len(characters) > 1 else 0.0,
    )
