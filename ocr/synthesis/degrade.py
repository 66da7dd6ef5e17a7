"""What a camera does to a picture besides its view: blur, few pixels, light, noise and JPEG."""

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image

# Light is computed on a coarse grid, -1..1 across and down, and stretched over the image.
_DOWN, _ACROSS = np.mgrid[-1:1:8j, -1:1:24j]
_STRIP = np.random.default_rng(0).standard_normal(1 << 18).astype(np.float32)


@dataclass(frozen=True)
class Camera:
    """What pictures of a kind suffer at strength 1."""

    blurred: float  # share that is out of focus
    moved: float  # share that the camera moved over
    coarse: float  # share taken with fewer pixels
    blur_px: float  # largest standard deviation of the blur
    motion: tuple[float, float]  # shortest and longest way moved, as shares of the height
    lost: float  # largest share of a side's pixels that are lost
    light: float  # how uneven the light is, and how much noise there is


def degrade(image: Image, *, camera: Camera, strength: float, rng: random.Random) -> Image:
    """Degrade a picture: strength 0 leaves it as it is, 1 is what phones and scanners see."""
    if strength <= 0:
        return image
    image = _lose_detail(image, camera=camera, strength=strength, rng=rng)
    image = _expose(image, strength=camera.light * strength, rng=rng)
    return _compress(image, strength=strength, rng=rng)


def _lose_detail(image: Image, *, camera: Camera, strength: float, rng: random.Random) -> Image:
    chance = rng.random()
    height, width = image.shape[:2]
    if chance < camera.blurred:
        sigma = rng.uniform(0.3, camera.blur_px) * strength
        return np.asarray(cv2.GaussianBlur(image, (0, 0), max(sigma, 0.1)))
    if chance < camera.blurred + camera.moved:
        length = 1 + round(rng.uniform(*camera.motion) * strength * height)
        kernel, rise = np.zeros((length, length), np.float32), rng.randint(0, length - 1)
        cv2.line(kernel, (0, length - 1 - rise), (length - 1, rise), 1.0)
        return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()))
    if chance < camera.blurred + camera.moved + camera.coarse:
        share = rng.uniform(max(1 - camera.lost * strength, 0.35), 1)
        few = (max(round(width * share), 2), max(round(height * share), 2))
        small = cv2.resize(image, few, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))
    return image


def _expose(image: Image, *, strength: float, rng: random.Random) -> Image:
    """Uneven light, a gleam or a shadow, and the noise of a sensor."""
    # OpenCV's arithmetic: numpy is slow where the last axis is as short as three channels.
    lit = cv2.multiply(image, _light(image.shape, strength=strength, rng=rng), dtype=cv2.CV_32F)
    added = cv2.merge([_haze(image.shape, strength=strength, rng=rng)] * 3)
    added = cv2.add(added, _noise(image.shape, strength=strength, rng=rng))
    return np.asarray(cv2.add(lit, added, dtype=cv2.CV_8U), np.uint8)


def _compress(image: Image, *, strength: float, rng: random.Random) -> Image:
    """Save the picture as JPEG of some quality and read it back, or leave it."""
    if rng.random() < 0.2:
        return image
    quality = round(rng.uniform(max(95 - 55 * strength, 15), 95))
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR))


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
        wide = shape[1] / shape[0] * (_ACROSS - rng.uniform(-1, 1))
        high = _DOWN - rng.uniform(-1, 1)
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
    return np.asarray(cv2.resize(field.astype(np.float32), shape[1::-1]))
