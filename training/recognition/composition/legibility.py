"""Whether characters cut out of crops look like their own kind: the proof of a fixed layout."""

from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

MIN_OF_A_KIND = 3
SHAPE_PX = (16, 24)


def read_by_likeness(
    alphas: Sequence[NDArray[np.float32]], characters: Sequence[str]
) -> NDArray[np.float64]:
    """Read each matte as the character whose other mattes it is most like.

    Args:
        alphas: K mattes.
        characters: What they show.

    Returns:
        (K,): 1 where the reading is right, 0 where it is wrong, NaN of characters with fewer
        than MIN_OF_A_KIND mattes, which are not read.
    """
    kinds = sorted(c for c, count in Counter(characters).items() if count >= MIN_OF_A_KIND)
    right = np.full(len(characters), np.nan)
    read = np.flatnonzero(np.isin(characters, kinds))
    if len(kinds) < 2:
        return right
    shapes = _unit_rows(np.stack([cv2.resize(alphas[k], SHAPE_PX).ravel() for k in read]))
    own = np.array([kinds.index(characters[k]) for k in read])
    sums = np.stack([shapes[own == kind].sum(axis=0) for kind in range(len(kinds))])
    likeness = shapes @ _unit_rows(sums).T
    others = _unit_rows(sums[own] - shapes)
    likeness[np.arange(len(read)), own] = (shapes * others).sum(axis=1)
    right[read] = likeness.argmax(axis=1) == own
    return right


def _unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of mean 0 and length 1; their products are correlations."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / (np.linalg.norm(centred, axis=1, keepdims=True) + 1e-6))
