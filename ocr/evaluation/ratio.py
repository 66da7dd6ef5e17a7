"""A metric as a ratio of two sums over samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """A metric by sample: value = numerator.sum() / denominator.sum(), both (N,)."""

    numerator: Values
    denominator: Values

    @property
    def value(self) -> float:
        """The metric over all samples; 0 where nothing could be measured."""
        total = float(self.denominator.sum())
        return float(self.numerator.sum()) / total if total else 0.0


def mean_of(values: Values) -> Ratio:
    """Return the mean of values (N,) as a ratio."""
    return Ratio(numerator=values, denominator=np.ones_like(values))
