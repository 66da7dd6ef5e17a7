"""The head: which of PP-OCRv6's columns stand for which character of a charset."""

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from training.loop.checkpoint import Arrays

BLANK = 0
NOISE = 0.5
"""A new character starts as noise of this share of the spread of all columns."""


def find_columns(characters: Sequence[str], charset: Sequence[str]) -> list[list[int]]:
    """Return the columns of each class, the blank first; empty for a character that is new.

    A class takes its character's own column, and those of its case and width variants where the
    charset lacks these: a lower-case letter is evidence of an upper-case one there.

    Args:
        characters: The characters of PP-OCRv6's classes 1 and up.
        charset: The characters of the new classes 1 and up.
    """
    places = {character: number for number, character in enumerate(charset, start=1)}
    columns: list[list[int]] = [[BLANK], *([] for _ in charset)]
    for column, character in enumerate(characters, start=1):
        plain = unicodedata.normalize("NFKC", character)
        for variant in (character, plain, plain.upper(), plain.lower()):
            if variant in places:
                columns[places[variant]].append(column)
                break
    return columns


def cut_head(weights: Arrays, columns: Sequence[Sequence[int]], *, seed: int) -> Arrays:
    """Return the head's weight (width, K) and bias (K,) with the columns of each class in turn.

    Args:
        weights: With PP-OCRv6's whole head.
        columns: What `find_columns` found.
        seed: Of the noise that new characters start as.
    """
    rng = np.random.default_rng(seed)
    whole, biases = weights["head.linear.weight"], weights["head.linear.bias"]
    kernels: list[NDArray[np.float32]] = []
    offsets: list[NDArray[np.float32]] = []
    for taken in columns:
        if taken:
            kernels.append(whole[:, taken])
            offsets.append(biases[taken])
        else:
            noise = rng.normal(0, NOISE * whole.std(), (len(whole), 1))
            kernels.append(noise.astype(np.float32))
            offsets.append(np.array([biases[1:].mean()], np.float32))
    return {
        "head.linear.weight": np.concatenate(kernels, axis=1),
        "head.linear.bias": np.concatenate(offsets),
    }


def class_of_columns(columns: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the class of each column of a head that `cut_head` made."""
    return tuple(number for number, taken in enumerate(columns) for _ in range(max(1, len(taken))))
