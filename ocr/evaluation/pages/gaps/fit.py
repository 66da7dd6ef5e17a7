"""The weights of a gap model: a logistic regression."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from ocr.evaluation.pages.gaps.examples import GapExample
from ocr.models.gap_model import BUCKETS, Gap, describe

STEPS = 500


def fit_weights(examples: Sequence[GapExample]) -> NDArray[np.float32]:
    """Return the weights (BUCKETS,) under which the examples are most probable.

    Half the sum of their squares is taken off the logarithm: few examples give small weights.
    """
    features = _to_matrix([example.gap for example in examples])
    signs = np.array([1.0 if example.ends else -1.0 for example in examples])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (features @ weights)
        slope = features.T @ (-signs * expit(-margins)) + weights
        return float(np.logaddexp(0, -margins).sum() + weights @ weights / 2), slope

    found = minimize(
        loss, np.zeros(BUCKETS), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
    )
    return np.asarray(found.x, dtype=np.float32)


def _to_matrix(gaps: Sequence[Gap]) -> csr_array:
    rows = [list(describe(gap)) for gap in gaps]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    buckets = np.array([bucket for row in rows for bucket, _ in row], dtype=np.int32)
    values = np.array([value for row in rows for _, value in row], dtype=np.float64)
    return csr_array((values, buckets, ends), shape=(len(gaps), BUCKETS))
