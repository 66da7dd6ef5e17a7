"""What a detector saw of a page: how probable it is that each pixel lies in a kernel."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROWS = (-0.15, 0.0, 0.15)
"""At each of them so many heights of the line off its middle."""


@dataclass(frozen=True)
class KernelMap:
    """The map of a page.

    Attributes:
        probabilities: (H, W) of the map.
        scale: (2,) pixels of the map by pixels of the page, in x and y.
    """

    probabilities: NDArray[np.float32]
    scale: NDArray[np.float64]

    def least_between(
        self, begin: NDArray[np.floating], end: NDArray[np.floating], down: NDArray[np.floating]
    ) -> float:
        """Return how sure the detector is of text where it is the least so, between two places.

        Args:
            begin: (2,) on the middle of a line, in pixels of the page.
            end: (2,) the same.
            down: (2,) from the top of the line to its bottom.
        """
        pixels = math.ceil(float(np.abs((end - begin) * self.scale).max()))
        along = begin + np.linspace(0, 1, pixels + 1)[:, None] * (end - begin)
        places = along + np.array(ROWS)[:, None, None] * down
        height_px, width_px = self.probabilities.shape
        columns, rows = np.moveaxis(places * self.scale, -1, 0).astype(int)
        columns, rows = columns.clip(0, width_px - 1), rows.clip(0, height_px - 1)
        return float(self.probabilities[rows, columns].max(axis=0).min())
