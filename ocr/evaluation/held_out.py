"""Choices that flatter nothing: each sample is measured by what was chosen on other documents."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.bootstrap import Codes

FOLDS = 10


def choose_held_out(codes: Codes, choose: Callable[[NDArray[np.bool_]], int]) -> NDArray[np.intp]:
    """Return for each sample what was chosen without its fold.

    Args:
        codes: (N,) document of each sample, from 0; one document lies in one fold.
        choose: Chooses on the samples (N,) that are marked, which may be none.
    """
    chosen = np.empty(len(codes), dtype=np.intp)
    for fold in range(FOLDS):
        held_out = codes % FOLDS == fold
        if held_out.any():
            chosen[held_out] = choose(~held_out)
    return chosen
