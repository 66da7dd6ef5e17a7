"""What a scanner or a camera makes of a sheet: its place in the picture, then all but sharpness."""

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.degrade import compress, expose
from ocr.synthesis.pages.sheet import Sheet
from ocr.synthesis.scene import gray, near

LONG_SIDE_PX = 1000  # larger pictures are reduced to it
EXPOSURE = 0.6  # of the light on single lines: small print on white paper must stay legible
_GRAIN = np.random.default_rng(0).standard_normal((64, 64, 3)).astype(np.float32)


@dataclass(frozen=True)
class View:
    """How a kind of page is usually seen, at strength 1.

    Attributes:
        turn_deg: Standard deviation of its rotation.
        lean: Largest shift of a corner, as a share of the shorter side.
        surroundings: Largest share of the picture's sides that is not the page.
        scanned_share: How many lie flat on a scanner, with nothing around them.
    """

    turn_deg: float
    lean: float
    surroundings: float
    scanned_share: float


def photograph_sheet(
    sheet: Sheet, *, view: View, strength: float, rng: random.Random
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Photograph a sheet.

    Args:
        sheet: The page.
        view: How pages of its kind are seen.
        strength: 0 leaves it as it is and only limits its size; 1 is what phones and scanners see.
        rng: Decides what happens, and how much of it.

    Returns:
        The picture, (H, W, 3) BGR, and the quad of every text, (n, 4, 2).
    """
    corners = _place_corners(sheet, view=view, strength=strength, rng=rng)
    image, matrix = _project(sheet.image, corners, rng=rng)
    quads = np.stack([box.corners() for box, _ in sheet.texts])
    quads = cv2.perspectiveTransform(quads, matrix)
    if strength > 0:
        image = _lose_detail(image, strength=strength, rng=rng)
        image = expose(image, strength=EXPOSURE * strength, rng=rng)
        image = compress(image, strength=strength, rng=rng)
    return image, np.asarray(quads, np.float64)


def _place_corners(
    sheet: Sheet, *, view: View, strength: float, rng: random.Random
) -> NDArray[np.float64]:
    """Where the sheet's corners lie in the picture, (4, 2), the picture's size in the last row."""
    width, height = sheet.width_px, sheet.height_px
    is_flat = strength <= 0 or rng.random() < view.scanned_share
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    turn = np.deg2rad(np.clip(rng.gauss(0, view.turn_deg), -12, 12) * strength)
    lean = 0.0 if is_flat else view.lean * strength * min(width, height)
    around = 0.0 if is_flat else view.surroundings * max(width, height)
    cosine, sine = np.cos(turn), np.sin(turn)
    corners = corners @ np.array([(cosine, sine), (-sine, cosine)])
    corners += [[rng.uniform(-lean, lean) for _ in range(2)] for _ in range(4)]
    corners -= corners.min(axis=0)
    corners += [rng.uniform(0, around), rng.uniform(0, around)]
    size = corners.max(axis=0) + np.array([rng.uniform(0, around), rng.uniform(0, around)])
    placed = np.vstack([corners, size])
    return placed * min(1.0, LONG_SIDE_PX / float(size.max()))


def _project(
    sheet: NDArray[np.uint8], placed: NDArray[np.float64], *, rng: random.Random
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Lay the sheet into its surroundings; returns the picture and the matrix from the sheet."""
    height, width = sheet.shape[:2]
    size = (int(np.ceil(placed[4, 0] - 1e-6)), int(np.ceil(placed[4, 1] - 1e-6)))
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, placed[:4].astype(np.float32))
    if np.allclose(matrix, np.eye(3), atol=1e-6):
        return sheet, np.eye(3)
    # Pixels are counted from their corners here, and from their middles by OpenCV's warp.
    shift = np.array([(1, 0, 0.5), (0, 1, 0.5), (0, 0, 1)])
    image = cv2.warpPerspective(
        sheet,
        np.linalg.inv(shift) @ matrix @ shift,
        size,
        dst=_surroundings(size, rng=rng),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_TRANSPARENT,
    )
    return np.asarray(image), np.asarray(matrix, np.float64)


def _surroundings(size: tuple[int, int], *, rng: random.Random) -> NDArray[np.uint8]:
    """A desk, a wall or the lid of a scanner, (H, W, 3): one colour with coarse or fine grain."""
    colour = near(gray(rng.choice((25, 60, 110, 160, 200, 235))), rng=rng, spread=25)
    start, cells = rng.randint(0, 32), rng.randint(3, 32)
    grain = _GRAIN[start : start + cells, start : start + rng.randint(3, 32)]
    rough = np.clip(grain * rng.uniform(1, 12) + np.array(colour), 0, 255)
    return np.asarray(
        cv2.resize(rough.astype(np.uint8), size, interpolation=cv2.INTER_LINEAR), np.uint8
    )


def _lose_detail(
    image: NDArray[np.uint8], *, strength: float, rng: random.Random
) -> NDArray[np.uint8]:
    """Out of focus, moved, or taken with fewer pixels; or none of these."""
    chance = rng.random()
    height, width = image.shape[:2]
    if chance < 0.35:
        sigma = rng.uniform(0.3, 0.9) * strength
        return np.asarray(cv2.GaussianBlur(image, (0, 0), max(sigma, 0.1)))
    if chance < 0.45:
        length = 1 + rng.randint(0, round(2 * strength))
        kernel = np.full((1, length), 1 / length)
        return np.asarray(cv2.filter2D(image, -1, kernel if rng.random() < 0.5 else kernel.T))
    if chance < 0.7:
        share = rng.uniform(1 - 0.3 * strength, 1)
        few = (round(width * share), round(height * share))
        small = cv2.resize(image, few, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))
    return image
