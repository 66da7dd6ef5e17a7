"""How a line is photographed: at a slant and from some distance, then degraded."""

import random

import cv2
import numpy as np

from ocr.image.pixels import Image
from ocr.synthesis.degrade import Camera, degrade

CAMERA = Camera(
    blurred=0.35, moved=0.15, coarse=0.3, blur_px=1.4, motion=(0.02, 0.08), lost=0.55, light=1
)


def photograph(image: Image, *, strength: float, height_px: int, rng: random.Random) -> Image:
    """Photograph a clean line so that it has a height; strength 0 only resizes it."""
    if strength > 0:
        image = _tilt(image, strength=strength, rng=rng)
    height, width = image.shape[:2]
    size = (max(round(width * height_px / height), 1), height_px)
    method = cv2.INTER_AREA if height_px < height else cv2.INTER_LINEAR
    resized = np.asarray(cv2.resize(image, size, interpolation=method))
    return degrade(resized, camera=CAMERA, strength=strength, rng=rng)


def _tilt(image: Image, *, strength: float, rng: random.Random) -> Image:
    """Rotate, shear and foreshorten; the canvas grows so that nothing is cut off."""
    height, width = image.shape[:2]
    slope = rng.gauss(0, 0.05) * strength * min(1.0, 5 * height / width)
    shear = rng.gauss(0, 0.1) * strength * height
    jitter = 0.035 * strength * height
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    moved = [
        (
            x + shear * (0.5 - y / height) + rng.uniform(-jitter, jitter),
            y + slope * x + rng.uniform(-jitter, jitter),
        )
        for x, y in corners.tolist()
    ]
    target = np.array(moved, np.float32)
    target -= target.min(axis=0)
    matrix = cv2.getPerspectiveTransform(corners, target)
    size = np.maximum(np.ceil(target.max(axis=0)), 1).astype(int).tolist()
    return np.asarray(cv2.warpPerspective(image, matrix, size, borderMode=cv2.BORDER_REPLICATE))
