"""How a sheet is photographed: flat on a scanner or with a phone, then degraded."""

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from ocr.synthesis.degrade import Camera, degrade
from ocr.synthesis.ink import gray, near
from ocr.synthesis.pages.sheet import Box, Sheet

LONG_SIDE_PX = 1000  # larger pictures are reduced to it
# Gentler than on single lines: small print on white paper must stay legible.
CAMERA = Camera(
    blurred=0.35, moved=0.1, coarse=0.25, blur_px=0.9, motion=(0, 0.0025), lost=0.3, light=0.6
)
_GRAIN = np.random.default_rng(0).standard_normal((64, 64, 3)).astype(np.float32)


@dataclass(frozen=True)
class View:
    """How a kind of page is usually seen, at strength 1."""

    turn_deg: float  # standard deviation of its rotation
    lean: float  # largest shift of a corner, as a share of the shorter side
    surroundings: float  # largest share of the picture's sides that is not the page
    scanned_share: float  # how many lie flat on a scanner, with nothing around them


def photograph_sheet(
    sheet: Sheet, *, view: View, strength: float, rng: random.Random
) -> tuple[Image, NDArray[np.float64]]:
    """Photograph a sheet; strength 0 only limits its size.

    Returns:
        The picture, (H, W, 3) BGR, and the quad of every text, (n, 4, 2).
    """
    own = Box(0, 0, sheet.width_px, len(sheet.image)).corners()
    corners, size = _place(own, view=view, strength=strength, rng=rng)
    matrix = cv2.getPerspectiveTransform(own.astype(np.float32), corners.astype(np.float32))
    quads = np.stack([box.corners() for box, _ in sheet.texts])
    image = sheet.image
    if not np.allclose(matrix, np.eye(3), atol=1e-6):
        quads = np.asarray(cv2.perspectiveTransform(quads, matrix))
        # Pixels are counted from their corners here, and from their middles by OpenCV's warp.
        shift = np.array([(1, 0, 0.5), (0, 1, 0.5), (0, 0, 1)])
        image = cv2.warpPerspective(
            image,
            np.linalg.inv(shift) @ matrix @ shift,
            size,
            dst=_surroundings(size, rng=rng),
            borderMode=cv2.BORDER_TRANSPARENT,
        )
    return degrade(image, camera=CAMERA, strength=strength, rng=rng), quads


def _place(
    corners: NDArray[np.float64], *, view: View, strength: float, rng: random.Random
) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """Where the sheet's corners lie in the picture, (4, 2), and the picture's width and height."""
    width, height = corners[2]
    is_flat = strength <= 0 or rng.random() < view.scanned_share
    turn = np.deg2rad(np.clip(rng.gauss(0, view.turn_deg), -12, 12) * strength)
    lean = 0.0 if is_flat else view.lean * strength * min(width, height)
    around = 0.0 if is_flat else view.surroundings * max(width, height)
    cosine, sine = np.cos(turn), np.sin(turn)
    corners = corners @ np.array([(cosine, sine), (-sine, cosine)])
    corners += [[rng.uniform(-lean, lean) for _ in range(2)] for _ in range(4)]
    corners -= corners.min(axis=0)
    corners += [rng.uniform(0, around), rng.uniform(0, around)]
    size = corners.max(axis=0) + np.array([rng.uniform(0, around), rng.uniform(0, around)])
    scale = min(1.0, LONG_SIDE_PX / float(size.max()))
    across, down = np.ceil(size * scale - 1e-6).astype(int).tolist()
    return corners * scale, (across, down)


def _surroundings(size: tuple[int, int], *, rng: random.Random) -> Image:
    """A desk, a wall or the lid of a scanner, (H, W, 3): one colour with coarse or fine grain."""
    colour = near(gray(rng.choice((25, 60, 110, 160, 200, 235))), rng=rng, spread=25)
    start, cells = rng.randint(0, 32), rng.randint(3, 32)
    grain = _GRAIN[start : start + cells, start : start + rng.randint(3, 32)]
    rough = np.clip(grain * rng.uniform(1, 12) + np.array(colour), 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(rough, size, interpolation=cv2.INTER_LINEAR))
