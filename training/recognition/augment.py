"""Augmentation of one crop: one warp straight to the input size, then photometric noise."""

import math
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.cropping import trim
from ocr.image.pixels import Image

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]
Generator = np.random.Generator
Pixels = Any  # an Image; what cv2 returns has no type

ENDS, END_LIMITS = (0.02, 0.12), (-0.16, 0.4)
EDGES, EDGE_LIMITS = (0.0, 0.07), (-0.13, 0.3)
"""Mean and deviation, least and most, in heights of the line with its margin, by which a found box
goes on beyond the labelled one: at its left and right end, at its upper and lower edge. On 2,135
lines of receipts that no detector learnt from: 0.03 and 0.09 with long tails, 0.01 and 0.08."""
LARGEST_SQUEEZE = 0.15
"""Each end at most adds this share of the width, for the result keeps its width."""

_NOISE = np.random.default_rng(0).standard_normal(1 << 18).astype(np.float32)
_SMALL_KERNEL = np.ones((2, 2), np.uint8)


def augment_crop(
    image: Image,
    centres_px: Points,
    *,
    width_px: int,
    height_px: int,
    strength: float,
    keep_height: bool,
    rng: Generator,
    around_px: int = 0,
) -> tuple[Image, Points]:
    """Warp a crop to the input size and disturb its pixels.

    Args:
        image: (H, W, 3) BGR.
        centres_px: (n, 2) character centres in the image, x and y.
        width_px: Width of the result.
        height_px: Height of the result.
        strength: 0 resizes only; also the chance of photometric noise.
        keep_height: Move like a text line (upright, no perspective), not like a plate.
        rng: Source of all randomness.
        around_px: Pixels by which the crop goes on round what is to fill the result. The sides of a
            line then move on their own, as those of a detector's boxes do.

    Returns:
        (height_px, width_px, 3) and the centres in it.
    """
    size = (width_px, height_px)
    line = trim(image, around_px)
    scale = resize_matrix((line.shape[1], line.shape[0]), size) @ _shift(-around_px, -around_px)
    if strength == 0:
        return np.asarray(cv2.resize(line, size), dtype=np.uint8), _move(centres_px, scale)
    if not keep_height:
        jitter = _plate_jitter
    elif around_px:
        jitter = _side_jitter
    else:
        jitter = _line_jitter
    matrix = jitter(size, strength, rng) @ scale
    warped = cv2.warpPerspective(
        image, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    if rng.random() < strength:
        warped = disturb_pixels(warped, rng)
    return np.asarray(warped, dtype=np.uint8), _move(centres_px, matrix)


def resize_matrix(source: tuple[float, float], target: tuple[int, int]) -> Matrix:
    """Return the map from source to target pixels that cv2.resize applies."""
    x, y = target[0] / source[0], target[1] / source[1]
    return np.array([[x, 0, (x - 1) / 2], [0, y, (y - 1) / 2], [0, 0, 1.0]])


def disturb_pixels(image: Pixels, rng: Generator) -> Pixels:
    """Blur, compress, expose, shade, cover and add noise, each now and then."""
    roll = rng.random()
    for chance, blur in _BLURS:
        if roll < chance:
            image = blur(image, rng)
            break
    if rng.random() < 0.15:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 81))]
        image = cv2.imdecode(cv2.imencode(".jpg", image, quality)[1], cv2.IMREAD_COLOR)
    if rng.random() < 0.6:
        image = _expose(image, rng)
    if rng.random() < 0.25:
        image = _shade(image, rng)
    if rng.random() < 0.12:
        image = _cover(image, rng, opaque=False)
    if rng.random() < 0.12:
        image = _cover(image, rng, opaque=True)
    if rng.random() < 0.4:
        image = _add_noise(image, rng)
    return image


def _move(points: Points, matrix: Matrix) -> Points:
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def _plate_jitter(size: tuple[int, int], strength: float, rng: Generator) -> Matrix:
    """A crop of something flat: scale, shear, shift, and every other time perspective."""
    width, height = size
    u = rng.uniform(-strength, strength, 8)
    affine = np.array(
        [
            [np.exp(0.07 * u[0]), 0.18 * u[1] * width / height / 4, 0],
            [0.05 * u[2] * 4 * height / width, np.exp(0.10 * u[3]), 0],
            [0, 0, 1.0],
        ]
    )
    perspective = np.eye(3)
    if rng.random() < 0.5:
        perspective[2, :2] = 0.11 * u[4] / width, 0.07 * u[5] / height
    shift = np.array([0.032 * u[6] * width, 0.073 * u[7] * height])
    return _about_centre(affine @ perspective, size, shift)


def _line_jitter(size: tuple[int, int], strength: float, rng: Generator) -> Matrix:
    """A line: height, slant, drift along the line, and shifts in units of its height."""
    width, height = size
    u = rng.uniform(-strength, strength, 6) / 0.75
    drift = 0.05 * u[0] * height / max(width, 2 * height)
    affine = np.array(
        [[1 - 0.02 * abs(u[1]), 0.12 * u[2], 0], [drift, 1 + 0.10 * u[3], 0], [0, 0, 1.0]]
    )
    return _about_centre(affine, size, np.array([0.10 * u[4] * height, 0.07 * u[5] * height]))


def _side_jitter(size: tuple[int, int], strength: float, rng: Generator) -> Matrix:
    """A line cut out of its page: slant, drift, and sides that lie where a detector puts them."""
    width, height = size
    slant, drift = rng.uniform(-strength, strength, 2) / 0.75
    drift *= 0.05 * height / max(width, 2 * height)
    affine = np.array([[1, 0.12 * slant, 0], [drift, 1, 0], [0, 0, 1.0]])
    matrix = _about_centre(affine, size, np.zeros(2))
    if rng.random() > strength:
        return matrix
    ends = np.clip(rng.normal(*ENDS, 2), *END_LIMITS) * height
    ends = np.minimum(ends, LARGEST_SQUEEZE * width)
    edges = np.clip(rng.normal(*EDGES, 2), *EDGE_LIMITS) * height
    source = width + ends.sum(), height + edges.sum()
    return resize_matrix(source, size) @ _shift(ends[0], edges[0]) @ matrix


def _shift(x_px: float, y_px: float) -> Matrix:
    return np.array([[1, 0, x_px], [0, 1, y_px], [0, 0, 1.0]])


def _about_centre(matrix: Matrix, size: tuple[int, int], shift_px: Points) -> Matrix:
    centre = (np.array(size) - 1) / 2
    there, back = np.eye(3), np.eye(3)
    there[:2, 2] = -centre
    back[:2, 2] = centre + shift_px
    return np.asarray(back @ matrix @ there)


def _defocus(image: Pixels, rng: Generator) -> Pixels:
    return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.1) * image.shape[0] / 24)


def _smear(image: Pixels, rng: Generator) -> Pixels:
    angle, reach = rng.uniform(0, math.pi), rng.integers(2, 5) / 2
    kernel = np.zeros((5, 5), np.float32)
    for offset in (-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1):
        row, column = offset * reach * math.sin(angle), offset * reach * math.cos(angle)
        kernel[round(2 + row), round(2 + column)] += 1 / 9
    return cv2.filter2D(image, -1, kernel)


def _rescale(image: Pixels, rng: Generator) -> Pixels:
    height, width = image.shape[:2]
    scale = rng.uniform(0.45, 0.9)
    small = (max(4, int(width * scale)), max(4, int(height * scale)))
    return cv2.resize(cv2.resize(image, small, interpolation=cv2.INTER_AREA), (width, height))


def _erode(image: Pixels, _: Generator) -> Pixels:
    return cv2.erode(image, _SMALL_KERNEL)


def _dilate(image: Pixels, _: Generator) -> Pixels:
    return cv2.dilate(image, _SMALL_KERNEL)


_BLURS: tuple[tuple[float, Callable[[Pixels, Generator], Pixels]], ...] = (
    (0.25, _defocus),
    (0.40, _smear),
    (0.52, _rescale),
    (0.58, _erode),
    (0.62, _dilate),
)
"""Cumulative chances; beyond the last the image stays sharp."""


def _expose(image: Pixels, rng: Generator) -> Pixels:
    """Gain, white balance, gamma and offset, as one table per channel."""
    gains = np.exp(rng.uniform(-0.5, 0.5) + rng.uniform(-0.2, 0.2, 3))
    levels = (np.arange(256) / 255) ** np.exp(rng.uniform(-0.4, 0.4))
    table = 255 * levels[:, None] * gains + rng.uniform(-25, 25)
    return cv2.LUT(image, table.clip(0, 255).astype(np.uint8)[None])


def _shade(image: Pixels, rng: Generator) -> Pixels:
    """A light gradient."""
    height, width = image.shape[:2]
    along, across = rng.uniform(-0.5, 0.5, 2)
    row = np.linspace(1 - along, 1 + along, width, dtype=np.float32)
    column = np.linspace(-across, across, height, dtype=np.float32)
    light = row[None] + column[:, None]
    return cv2.multiply(image, cv2.merge([light] * 3), dtype=cv2.CV_8U)


def _cover(image: Pixels, rng: Generator, *, opaque: bool) -> Pixels:
    """A hard shadow or glare, or something small in front; in place of a copy."""
    height, width = image.shape[:2]
    wide = int(rng.integers(2, max(3, min(width, 4 * height) // (14 if opaque else 3))))
    high = int(rng.integers(2, max(3, height // 4 if opaque else height)))
    x, y = int(rng.integers(0, width - wide + 1)), int(rng.integers(0, height - high + 1))
    image = image.copy()
    part = image[y : y + high, x : x + wide]
    if opaque:
        part[:] = rng.integers(0, 256, 3)
    else:
        part[:] = (part * rng.uniform(0.5, 1.5)).clip(0, 255)
    return image


def _add_noise(image: Pixels, rng: Generator) -> Pixels:
    start = int(rng.integers(0, max(1, _NOISE.size - image.size)))
    noise = np.resize(_NOISE[start : start + image.size], image.shape)
    return cv2.add(image, noise * np.float32(rng.uniform(1, 14)), dtype=cv2.CV_8U)
