"""Layers of ink, what they look like on a ground, and colours."""

import random

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image

Ink = NDArray[np.uint8]
"""Coverage 0..255, (h, w)."""
Colour = tuple[int, int, int]  # BGR


def gray(value: int) -> Colour:
    """A shade between black (0) and white (255)."""
    return value, value, value


PAPERS: tuple[Colour, ...] = (
    gray(250), gray(238), (225, 238, 245), (200, 225, 240), (235, 225, 215), gray(205),
    (170, 215, 240), (215, 230, 205),
)  # fmt: skip
INKS: tuple[Colour, ...] = (gray(15), gray(40), gray(80), (110, 50, 25), (60, 40, 130), gray(115))


def stamp(layer: Ink, ink: Ink, *, left_px: int, top_px: int) -> None:
    """Add ink to a layer; what lies outside is cut off."""
    x0, y0 = max(left_px, 0), max(top_px, 0)
    x1 = min(left_px + ink.shape[1], layer.shape[1])
    y1 = min(top_px + ink.shape[0], layer.shape[0])
    if x0 < x1 and y0 < y1:
        area = layer[y0:y1, x0:x1]
        cover = ink[y0 - top_px : y1 - top_px, x0 - left_px : x1 - left_px]
        np.maximum(area, cover, out=area)


def tint(layer: Ink, *, back: Colour, ink: Colour) -> Image:
    """Turn a layer into a picture, (h, w, 3) BGR."""
    cover = np.linspace(0, 1, 256)[:, None]
    shades = np.rint(np.array(back) + (np.array(ink) - np.array(back)) * cover).astype(np.uint8)
    return np.asarray(cv2.LUT(cv2.merge([layer] * 3), shades[None]), np.uint8)


def near(colour: Colour, *, rng: random.Random, spread: int) -> Colour:
    """A colour not far from the given one."""
    blue, green, red = (min(max(c + rng.randint(-spread, spread), 0), 255) for c in colour)
    return blue, green, red
