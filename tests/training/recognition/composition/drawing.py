"""Made-up crops: counters whose digits stand in drums, and words set freely."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image

PITCH_PX = 22
BORDER_PX = 6
HEIGHT_PX = 32
SIZE_PX = (192, 48)
"""Width and height that all crops are resized to, as for one net."""
FONT = cv2.FONT_HERSHEY_DUPLEX


@dataclass(frozen=True)
class DrawnCrops:
    """Crops with what they read, where it stands (P, 2) and a recogniser's rough x."""

    images: NDArray[np.uint8]
    texts: list[str]
    centres_px: list[NDArray[np.float64]]
    rough_px: list[NDArray[np.float64]]

    def __add__(self, other: "DrawnCrops") -> "DrawnCrops":
        return DrawnCrops(
            np.concatenate([self.images, other.images]),
            self.texts + other.texts,
            self.centres_px + other.centres_px,
            self.rough_px + other.rough_px,
        )


def draw_counters(
    texts: Sequence[str], *, seed: int = 0, is_dark_on_light: bool = False, is_gray: bool = False
) -> DrawnCrops:
    """Counters, each a little turned, shifted, lit and noisy in its own way."""
    rng = np.random.default_rng(seed)
    images, centres = [], []
    for text in texts:
        image, points = _draw_counter(rng, text, is_dark_on_light=is_dark_on_light)
        images.append(np.repeat(image[..., 1:2], 3, axis=2) if is_gray else image)
        centres.append(points)
    return _resize(images, list(texts), centres, rng)


def draw_words(texts: Sequence[str], *, seed: int = 0) -> DrawnCrops:
    """Words in a proportional font, cut tightly: no two share their positions."""
    rng = np.random.default_rng(seed)
    images, centres = [], []
    for text in texts:
        ends = [cv2.getTextSize(text[:n], FONT, 0.8, 1)[0][0] for n in range(len(text) + 1)]
        image = np.full((HEIGHT_PX, ends[-1] + 8, 3), 235, np.uint8)
        cv2.putText(image, text, (4, 23), FONT, 0.8, (40, 30, 30), 1, cv2.LINE_AA)
        x = 4 + (np.array(ends[1:]) + np.array(ends[:-1])) / 2
        noisy = image + rng.normal(0, 4, image.shape)
        images.append(np.clip(noisy, 0, 255).astype(np.uint8))
        centres.append(np.stack([x, np.full_like(x, HEIGHT_PX / 2)], axis=1))
    return _resize(images, list(texts), centres, rng)


def random_numbers(count: int, *, digits: int = 5, seed: int = 0) -> list[str]:
    """Texts of so many digits."""
    rng = np.random.default_rng(seed)
    return ["".join(map(str, rng.integers(0, 10, digits))) for _ in range(count)]


def glyph(character: str) -> NDArray[np.float32]:
    """The character as it is drawn in a drum, ink 1 on paper 0."""
    cell = np.zeros((HEIGHT_PX, PITCH_PX), np.uint8)
    (width, height), _ = cv2.getTextSize(character, FONT, 0.75, 2)
    origin = ((PITCH_PX - width) // 2, (HEIGHT_PX + height) // 2)
    cv2.putText(cell, character, origin, FONT, 0.75, 255, 2, cv2.LINE_AA)
    return (cell / 255).astype(np.float32)


def _resize(
    images: list[Image],
    texts: list[str],
    centres_px: list[NDArray[np.float64]],
    rng: np.random.Generator,
) -> DrawnCrops:
    """Resize crops, and guess their characters' x to a 32nd of the width."""
    scales = [np.divide(SIZE_PX, image.shape[1::-1]) for image in images]
    centres = [(c + 0.5) * scale - 0.5 for c, scale in zip(centres_px, scales, strict=True)]
    step = SIZE_PX[0] / 32
    return DrawnCrops(
        np.stack([cv2.resize(image, SIZE_PX, interpolation=cv2.INTER_CUBIC) for image in images]),
        texts,
        centres,
        [points[:, 0] + rng.uniform(-step, step, len(points)) for points in centres],
    )


def _draw_counter(
    rng: np.random.Generator, text: str, *, is_dark_on_light: bool
) -> tuple[Image, NDArray[np.float64]]:
    border = np.zeros((HEIGHT_PX, BORDER_PX), np.float32)
    ink = np.hstack([border, *map(glyph, text), border])
    paper, color = rng.uniform(20, 70, 3), rng.uniform(170, 240, 3)
    if is_dark_on_light:
        paper, color = color, paper
    image = paper + ink[..., None] * (color - paper)
    x = BORDER_PX + PITCH_PX * (np.arange(len(text)) + 0.5) - 0.5
    points = np.stack([x, np.full_like(x, (HEIGHT_PX - 1) / 2), np.ones_like(x)])
    warp = _small_warp(rng, image.shape)
    size = image.shape[1::-1]
    warped = cv2.warpAffine(image, warp, size, borderMode=cv2.BORDER_REPLICATE)
    warped *= 1 + rng.uniform(-0.15, 0.15) * np.linspace(-1, 1, size[0])[None, :, None]
    noisy = np.clip(warped + rng.normal(0, 3, warped.shape), 0, 255)
    return noisy.astype(np.uint8), (warp @ points).T


def _small_warp(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    u = rng.uniform(-1, 1, 6)
    linear = np.array([[1 + 0.04 * u[0], 0.06 * u[1]], [0.02 * u[2], 1 + 0.05 * u[3]]])
    middle = np.array([shape[1] / 2, shape[0] / 2])
    shift = middle + np.array([2, 1.5]) * u[4:] - linear @ middle
    return np.hstack([linear, shift[:, None]])
