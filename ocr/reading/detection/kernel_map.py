"""What a detector saw of a page: how probable it is that each pixel lies in a kernel."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ROWS = np.array([[-0.15], [0.0], [0.15]])
"""A place is looked at so many heights of its line off the middle."""


@dataclass(frozen=True)
class KernelMap:
    """The map of a page.

    Attributes:
        probabilities: (H, W) of the map.
        scale: Pixels of the map by pixels of the page, in x and y.
    """

    probabilities: NDArray[np.float32]
    scale: tuple[float, float]

    def least_between(self, begin: complex, end: complex, down: complex) -> float:
        """Return how sure the detector is of text where it is the least so, between two places.

        Args:
            begin: A place x + yj on the middle of a line, in pixels of the page.
            end: The same.
            down: From the top of the line to its bottom.
        """
        x_scale, y_scale = self.scale
        way = end - begin
        pixels = math.ceil(max(abs(way.real) * x_scale, abs(way.imag) * y_scale))
        places = begin + np.arange(pixels + 1) / max(pixels, 1) * way + _ROWS * down
        height_px, width_px = self.probabilities.shape
        columns, rows = (places.real * x_scale).astype(int), (places.imag * y_scale).astype(int)
        columns, rows = columns.clip(0, width_px - 1), rows.clip(0, height_px - 1)
        return float(self.probabilities[rows, columns].max(axis=0).min())
