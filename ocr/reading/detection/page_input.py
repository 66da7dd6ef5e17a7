"""Pages to the input of a detector, equal to stock PaddleOCR's to the last bit."""

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.detector_spec import PageSpec

SIDE_MULTIPLE_PX = 32
"""Both sides of the input are multiples of this."""

TINY_PAGE_PX = 64
"""A page whose sides sum to less is first padded with black to SIDE_MULTIPLE_PX."""


def serving_scale(width_px: int, height_px: int, spec: PageSpec) -> float:
    """Return the scale at which a page meets the net, its sides not yet rounded to multiples.

    Training draws its views around this scale.
    """
    return min(1.0, spec.long_side_px / max(width_px, height_px))


def fit_page(image: Image, spec: PageSpec) -> Image:
    """Resize a page as paddlex's `DetResizeForTest` does with limit_type max.

    Args:
        image: (H, W, 3) BGR.
        spec: The input of the net; `long_side_px` at most 4000, where stock draws its own line.

    Returns:
        (H', W', 3) BGR, H' and W' multiples of 32; the image itself where nothing changes.

    Raises:
        BadInput: The image is empty or not (H, W, 3) bytes.
    """
    if image.ndim != 3 or image.shape[2] != 3 or image.size == 0 or image.dtype != np.uint8:
        raise BadInput(f"Expected a page (H, W, 3) of uint8, got {image.shape} of {image.dtype}")
    if image.shape[0] + image.shape[1] < TINY_PAGE_PX:
        image = _pad_to_one_multiple(image)
    height_px, width_px = image.shape[:2]
    scale = serving_scale(width_px, height_px, spec)
    fitted_px = (_to_multiple(int(width_px * scale)), _to_multiple(int(height_px * scale)))
    if fitted_px == (width_px, height_px):
        return image
    return np.asarray(cv2.resize(image, fitted_px), dtype=np.uint8)


def to_page_input(fitted: Image, spec: PageSpec) -> NDArray[np.float32]:
    """Turn a fitted page into the input of the net: (1, 3, H, W), normalised as its spec says."""
    page_input = np.empty((1, 3, *fitted.shape[:2]), dtype=np.float32)
    channels = zip(cv2.split(fitted), page_input[0], spec.mean, spec.std, strict=True)
    for channel, values, mean, std in channels:
        cv2.LUT(channel, _input_values(mean, std), dst=values)
    return page_input


def _input_values(mean: float, std: float) -> NDArray[np.float32]:
    """Return what each of the 256 values of a pixel becomes."""
    return np.arange(256, dtype=np.float32) * np.float32(1 / 255 / std) + np.float32(-mean / std)


def _pad_to_one_multiple(image: Image) -> Image:
    height_px, width_px = image.shape[:2]
    padded_px = (max(SIDE_MULTIPLE_PX, height_px), max(SIDE_MULTIPLE_PX, width_px), 3)
    padded = np.zeros(padded_px, dtype=np.uint8)
    padded[:height_px, :width_px] = image
    return padded


def _to_multiple(side_px: int) -> int:
    return max(round(side_px / SIDE_MULTIPLE_PX) * SIDE_MULTIPLE_PX, SIDE_MULTIPLE_PX)
