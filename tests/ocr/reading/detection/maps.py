"""Probability maps as a detector gives them, drawn."""

import cv2
import numpy as np
from numpy.typing import NDArray


def draw_map(
    *, width_px: int, height_px: int, kernels: int, seed: int, level: bool = False
) -> NDArray[np.float32]:
    """Draw blurred, noisy kernels, some across the border or too small, a third of them level."""
    rng = np.random.default_rng(seed)
    drawn = np.zeros((height_px, width_px), dtype=np.float32)
    for _ in range(kernels):
        centre = (float(rng.uniform(0, width_px)), float(rng.uniform(0, height_px)))
        size = (float(rng.uniform(1, width_px / 5)), float(rng.uniform(1, 24)))
        angle = 0.0 if level else float(rng.choice([0.0, 90.0, rng.uniform(-90, 90)]))
        corners = cv2.boxPoints((centre, size, angle)).astype(np.int32)
        cv2.fillPoly(drawn, [corners], float(rng.uniform(0.4, 1)))
    noise = rng.normal(0, 0.02, drawn.shape)
    blurred = cv2.GaussianBlur(drawn, (5, 5), 0)
    return np.asarray(np.clip(blurred + noise, 0, 1), dtype=np.float32)
