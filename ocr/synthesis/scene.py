"""A painted line before any degradation, and the strokes it is painted with."""

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.fonts import Font
from ocr.synthesis.glyphs import draw_glyph

Colour = tuple[int, int, int]  # BGR


@dataclass(frozen=True)
class Scene:
    """A clean line, (H, W, 3) BGR, and the centre of each character's ink, (n, 2) x and y."""

    image: NDArray[np.uint8]
    centres_px: NDArray[np.float64]


def stamp(layer: NDArray[np.uint8], ink: NDArray[np.uint8], *, left_px: int, top_px: int) -> None:
    """Add ink, (h, w) coverage 0..255, to a layer of ink; what lies outside is cut off."""
    x0, y0 = max(left_px, 0), max(top_px, 0)
    x1 = min(left_px + ink.shape[1], layer.shape[1])
    y1 = min(top_px + ink.shape[0], layer.shape[0])
    if x0 < x1 and y0 < y1:
        area = layer[y0:y1, x0:x1]
        cover = ink[y0 - top_px : y1 - top_px, x0 - left_px : x1 - left_px]
        np.maximum(area, cover, out=area)


def tint(layer: NDArray[np.uint8], *, back: Colour, ink: Colour) -> NDArray[np.uint8]:
    """Turn a layer of ink, (H, W) coverage 0..255, into a picture, (H, W, 3) BGR."""
    cover = np.linspace(0, 1, 256)[:, None]
    shades = np.rint(np.array(back) + (np.array(ink) - np.array(back)) * cover).astype(np.uint8)
    return np.asarray(cv2.LUT(cv2.merge([layer] * 3), shades[None]), np.uint8)


def fit_glyph(
    font: Font, character: str, *, width_px: int, height_px: int, stroke_px: int
) -> tuple[NDArray[np.uint8], int]:
    """Draw a capital, digit or ideograph to fill a cell, as stamped letters and counters do.

    Narrow characters keep their width, points and dashes their size.

    Returns:
        Coverage 0..255, and how far below the top of the cell it begins.
    """
    glyph = draw_glyph(font, character, size_px=height_px * 4 // 3, stroke_px=stroke_px)
    height, width = glyph.ink.shape
    if height < 0.5 * height_px:
        return glyph.ink[:, :width_px], height_px + glyph.top_px
    is_narrow = width < 0.4 * height
    fitted_width = max(round(width * height_px / height), 2) if is_narrow else width_px
    size = (min(fitted_width, width_px), height_px)
    fitted = cv2.resize(glyph.ink, size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(fitted, np.uint8), 0


def can_stamp(text: str) -> bool:
    """Whether a text keeps its meaning when its letters are made one size (s and S would not)."""
    return all(c.isdigit() or c.isupper() or c in " -." or is_ideograph(c) for c in text)


def is_ideograph(character: str) -> bool:
    """Whether a character is as wide as it is high: Chinese, Japanese, Korean."""
    return ord(character) >= 0x2E80


def near(colour: Colour, *, rng: random.Random, spread: int) -> Colour:
    """A colour not far from the given one."""
    blue, green, red = (min(max(c + rng.randint(-spread, spread), 0), 255) for c in colour)
    return blue, green, red


def gray(value: int) -> Colour:
    """A shade between black (0) and white (255)."""
    return value, value, value
