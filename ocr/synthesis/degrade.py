"""What a camera does to a line: perspective, light, blur, few pixels, noise and JPEG."""

import random

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.scene import Scene

# Light is computed on a coarse grid, -1..1 across and down, and stretched over the image.
_DOWN, _ACROSS = np.mgrid[-1:1:8j, -1:1:24j]
_STRIP = np.random.default_rng(0).standard_normal(1 << 18).astype(np.float32)


def photograph(scene: Scene, *, strength: float, height_px: int, rng: random.Random) -> Scene:
    """Turn a clean line into a photographed one.

    Args:
        scene: The clean line.
        strength: 0 leaves it clean and only resizes; 1 is what phones and fixed cameras see.
        height_px: Height of the result; perspective may not change it, the width follows.
        rng: Decides what happens, and how much of it.

    Returns:
        The photographed line; its centres went through the same perspective and scale.
    """
    if strength <= 0:
        return _resize(scene, height_px=height_px)
    scene = _resize(_tilt(scene, strength=strength, rng=rng), height_px=height_px)
    image = _lose_detail(scene.image, strength=strength, rng=rng)
    exposed = expose(image, strength=strength, rng=rng)
    return Scene(image=compress(exposed, strength=strength, rng=rng), centres_px=scene.centres_px)


def expose(image: NDArray[np.uint8], *, strength: float, rng: random.Random) -> NDArray[np.uint8]:
    """Give an image, (H, W, 3), uneven light, a gleam or a shadow, and the noise of a sensor."""
    # OpenCV's arithmetic: numpy is slow where the last axis is as short as three channels.
    lit = cv2.multiply(image, _light(image.shape, strength=strength, rng=rng), dtype=cv2.CV_32F)
    added = cv2.merge([_haze(image.shape, strength=strength, rng=rng)] * 3)
    added = cv2.add(added, _noise(image.shape, strength=strength, rng=rng))
    return np.asarray(cv2.add(lit, added, dtype=cv2.CV_8U), np.uint8)


def compress(image: NDArray[np.uint8], *, strength: float, rng: random.Random) -> NDArray[np.uint8]:
    """Save an image as JPEG of some quality and read it back, or leave it."""
    if rng.random() < 0.2:
        return image
    quality = round(rng.uniform(max(95 - 55 * strength, 15), 95))
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR))


def _resize(scene: Scene, *, height_px: int) -> Scene:
    height, width = scene.image.shape[:2]
    new_width = max(round(width * height_px / height), 1)
    method = cv2.INTER_AREA if height_px < height else cv2.INTER_LINEAR
    scale = np.array([new_width / width, height_px / height])
    return Scene(
        image=np.asarray(cv2.resize(scene.image, (new_width, height_px), interpolation=method)),
        centres_px=scene.centres_px * scale,
    )


def _tilt(scene: Scene, *, strength: float, rng: random.Random) -> Scene:
    """Rotate, shear and foreshorten; the canvas grows so that nothing is cut off."""
    height, width = scene.image.shape[:2]
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
    size = np.ceil(target.max(axis=0)).astype(int)
    matrix = cv2.getPerspectiveTransform(corners, target)
    image = cv2.warpPerspective(
        scene.image,
        matrix,
        (max(int(size[0]), 1), max(int(size[1]), 1)),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    centres = cv2.perspectiveTransform(scene.centres_px[:, None, :], matrix)[:, 0, :]
    return Scene(image=np.asarray(image), centres_px=np.asarray(centres, np.float64))


def _lose_detail(
    image: NDArray[np.uint8], *, strength: float, rng: random.Random
) -> NDArray[np.uint8]:
    """Out of focus, moved, or taken from afar; or none of these."""
    chance = rng.random()
    height, width = image.shape[:2]
    if chance < 0.35:
        sigma = rng.uniform(0.3, 1.0 + 0.4 * strength) * min(strength, 1.0)
        return np.asarray(cv2.GaussianBlur(image, (0, 0), max(sigma, 0.1)))
    if chance < 0.5:
        length = 1 + round(rng.uniform(0.02, 0.08) * strength * height)
        kernel = np.zeros((length, length), np.float32)
        end = (length - 1, rng.randint(0, length - 1))
        cv2.line(kernel, (0, length - 1 - end[1]), end, 1.0)
        return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()))
    if chance < 0.8:
        share = rng.uniform(max(1 - 0.55 * strength, 0.35), 1)
        few = (max(round(width * share), 2), max(round(height * share), 2))
        small = cv2.resize(image, few, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))
    return image


def _light(shape: tuple[int, ...], *, strength: float, rng: random.Random) -> NDArray[np.float32]:
    """Gain (H, W, 3): a slope of light of some colour, sometimes with the edge of a shadow."""
    exposure = 1 - strength * (rng.uniform(-0.15, 0.3) if rng.random() < 0.8 else 0.5)
    across, down = rng.uniform(-0.2, 0.2), rng.uniform(-0.15, 0.15)
    gain = exposure + strength * (across * _ACROSS + down * _DOWN)
    if rng.random() < 0.2:
        side = _ACROSS * rng.uniform(-1, 1) + _DOWN * rng.uniform(-0.5, 0.5)
        edge = 1 + np.exp(-6 * (side - rng.uniform(-0.4, 0.4)))
        gain *= 1 - strength * rng.uniform(0.15, 0.4) / edge
    cast = [rng.uniform(1 - 0.12 * strength, 1) for _ in range(3)]
    coloured = np.maximum(gain, 0.25)[:, :, None] * np.array(cast)
    return _stretch(coloured, shape)


def _haze(shape: tuple[int, ...], *, strength: float, rng: random.Random) -> NDArray[np.float32]:
    """Light added to the picture, (H, W): the same everywhere, sometimes with a lamp's gleam."""
    haze = np.full(_ACROSS.shape, strength * rng.uniform(0, 25))
    if rng.random() < 0.15:
        wide, high = (
            shape[1] / shape[0] * (_ACROSS - rng.uniform(-1, 1)),
            _DOWN - rng.uniform(-1, 1),
        )
        distance = (wide**2 + high**2) / (2 * rng.uniform(0.4, 1.2) ** 2)
        haze += strength * rng.uniform(30, 90) * np.exp(-distance)
    return _stretch(haze, shape)


def _noise(shape: tuple[int, ...], *, strength: float, rng: random.Random) -> NDArray[np.float32]:
    """Sensor noise (H, W, 3), the same in all channels or not, from one long strip of noise."""
    amount = strength * rng.uniform(0, 9) * (2 if rng.random() < 0.15 else 1)
    is_gray = rng.random() < 0.5
    need = shape[0] * shape[1] * (1 if is_gray else 3)
    start = rng.randrange(len(_STRIP))
    noise = np.resize(_STRIP[start:], need) if need > len(_STRIP) - start else _STRIP[start:][:need]
    noise = noise.reshape(*shape[:2], -1) * np.float32(amount)
    return np.asarray(cv2.merge([noise] * 3) if is_gray else noise)


def _stretch(field: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Interpolate a coarse field over the image."""
    size = (shape[1], shape[0])
    stretched = cv2.resize(field.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(stretched)
