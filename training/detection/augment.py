"""Augmentation of one page: a view of a part of it, warped, then photometric noise."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from training.detection.samples import ENLARGED, Grey, TrainPage
from training.detection.shapes import Matrix

NEAR_TEXT = 0.85
"""Share of views centred near a region."""
LEAST_SCALE = 0.66
"""Views are between this and ENLARGED times as large as the page is served."""
LARGEST_STRETCH = 0.1
LARGEST_ROTATION_DEG = 1.0

Generator = np.random.Generator


def draw_view(
    page: TrainPage, *, width_px: int, height_px: int, strength: float, rng: Generator
) -> Matrix:
    """Draw the map (2, 3) from pixels of a page to pixels of a view of it.

    Args:
        page: The page.
        width_px: Width of the view.
        height_px: Height of the view.
        strength: Strength of rotation and stretch, 0..1.
        rng: Source of all randomness.
    """
    scale = page.scale * math.exp(rng.uniform(math.log(LEAST_SCALE), math.log(ENLARGED)))
    angle = math.radians(strength * rng.uniform(-LARGEST_ROTATION_DEG, LARGEST_ROTATION_DEG))
    along = scale * (1 + strength * rng.uniform(-LARGEST_STRETCH, LARGEST_STRETCH))
    cos, sin = math.cos(angle), math.sin(angle)
    linear = np.array([[cos * along, -sin * scale], [sin * along, cos * scale]])
    half_px = np.array([width_px, height_px]) / 2
    centre = _draw_centre(page, half_px / scale, rng)
    return np.column_stack([linear, half_px - linear @ centre])


def _draw_centre(
    page: TrainPage, reach: NDArray[np.float64], rng: Generator
) -> NDArray[np.float64]:
    """Draw the centre of a view that reaches so far; it stays on the page where it can."""
    height_px, width_px = page.grey.shape
    size = np.array([width_px, height_px], dtype=np.float64)
    if len(page.shapes) and rng.random() < NEAR_TEXT:
        bounds = page.shapes.bounds[rng.integers(len(page.shapes))]
        centre = (bounds[:2] + bounds[2:]).astype(np.float64) / 2
    else:
        centre = rng.uniform(0, size)
    centre += rng.uniform(-0.8, 0.8, 2) * reach
    beside = size / 2 + rng.uniform(-0.2, 0.2, 2) * reach
    return np.where(size > 2 * reach, np.clip(centre, reach, size - reach), beside)


def render_view(
    grey: Grey, matrix: Matrix, *, width_px: int, height_px: int, strength: float, rng: Generator
) -> NDArray[np.float32]:
    """Warp a page and disturb its pixels; return (height_px, width_px) in -1..1."""
    view = cv2.warpAffine(
        grey,
        matrix,
        (width_px, height_px),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    values = cv2.LUT(view, _expose(strength, rng))
    if rng.random() < 0.25 * strength:
        noise = rng.standard_normal(values.shape, dtype=np.float32)
        values += noise * np.float32(2 * rng.uniform(0.01, 0.06))
    if rng.random() < 0.15 * strength:
        values = cv2.GaussianBlur(values, (3, 3), 0)
    np.clip(values, -1.0, 1.0, out=values)
    return np.asarray(values)


def _expose(strength: float, rng: Generator) -> NDArray[np.float32]:
    """Gamma, contrast and offset: what each of 256 values becomes."""
    levels = np.arange(256, dtype=np.float32) / 255
    if rng.random() < 0.5 * strength:
        levels = levels ** np.float32(rng.uniform(0.6, 1.7))
    contrast = 1 + strength * rng.uniform(-0.3, 0.15)
    offset = strength * rng.uniform(-0.15, 0.1)
    return ((levels - 0.5) * (2 * contrast) + 2 * offset).astype(np.float32)
