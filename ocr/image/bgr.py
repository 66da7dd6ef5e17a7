"""What Pillow opened, as BGR of 8 bits."""

import numpy as np
import PIL.Image
from numpy.typing import NDArray

_STRIP_PIXELS = 2**17


def to_bgr(opened: PIL.Image.Image) -> NDArray[np.uint8]:
    """Convert strip by strip, so that a large image is held twice and no third time."""
    width, height = opened.size
    rows = max(1, _STRIP_PIXELS // width)
    image = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, rows):
        strip = opened.crop((0, top, width, min(top + rows, height)))
        image[top : top + rows] = _strip_to_bgr(strip)
    return image


def is_wide_grey(mode: str) -> bool:
    """Say whether a grey image has levels of 16 or 32 bits."""
    return mode == "F" or mode.startswith("I")


def narrow(grey: NDArray[np.generic], mode: str) -> NDArray[np.uint8]:
    """Return grey levels, of floats from 0 to 255 and else from 0 to 65,535, in 8 bits."""
    divisor = 1 if mode == "F" else 257
    return np.clip(np.rint(grey.astype(np.float64) / divisor), 0, 255).astype(np.uint8)


def _strip_to_bgr(strip: PIL.Image.Image) -> NDArray[np.uint8]:
    if is_wide_grey(strip.mode):
        return np.repeat(narrow(np.asarray(strip), strip.mode)[..., None], 3, axis=2)
    if strip.has_transparency_data:
        return _over_white(np.asarray(strip.convert("RGBA"))[..., [2, 1, 0, 3]])
    return np.asarray(strip.convert("RGB"))[..., ::-1]


def _over_white(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    alpha = image[..., 3:].astype(np.uint16)
    scaled = image[..., :3] * alpha + 128
    shares = (scaled + (scaled >> 8)) >> 8  # of 255, rounded: exact for 16 bits
    return (255 - alpha + shares).astype(np.uint8)
