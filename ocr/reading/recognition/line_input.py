"""Images to the input of a recogniser, equal to stock PaddleOCR's to the last pixel."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.recogniser_spec import LineSpec

LINE_WIDTH_LIMIT_PX = 3200
"""Stock PaddleOCR squeezes a line that would be wider."""

FRAME_PX = 4
"""Input columns per output frame of every recogniser."""

WIDTH_MULTIPLE_PX = 16
"""Batches of lines are padded to a multiple of this."""


def fit_line(image: Image, spec: LineSpec) -> Image:
    """Resize an image as stock PaddleOCR 3.x does, without padding.

    Layout fixed equals paddlex's `OCRReisizeNormImg.staticResize` (what `input_shape` asks for),
    layout line its `resize_norm_img`.

    Args:
        image: (H, W, 3) BGR.
        spec: The input of the net.

    Returns:
        (height_px, W', 3) BGR; W' is width_px in layout fixed.

    Raises:
        BadInput: The image is empty or not (H, W, 3) bytes.
    """
    if image.ndim != 3 or image.shape[2] != 3 or image.size == 0 or image.dtype != np.uint8:
        raise BadInput(f"Expected an image (H, W, 3) of uint8, got {image.shape} of {image.dtype}")
    width_px = spec.width_px if spec.layout == "fixed" else _line_width_px(image, spec)
    return np.asarray(cv2.resize(image, (width_px, spec.height_px)), dtype=np.uint8)


def to_line_batch(fitted: Sequence[Image]) -> NDArray[np.float32]:
    """Stack fitted images into the input of the net.

    Args:
        fitted: Images of one height, each (H, W, 3) BGR.

    Returns:
        (N, 3, H, W) with pixel / 127.5 - 1, W the widest rounded up to a multiple of 16, padded
        on the right with exactly 0.0: no pixel is, so the net finds its valid columns itself.
    """
    widest_px = max(image.shape[1] for image in fitted)
    width_px = -(-widest_px // WIDTH_MULTIPLE_PX) * WIDTH_MULTIPLE_PX
    batch = np.zeros((len(fitted), 3, fitted[0].shape[0], width_px), dtype=np.float32)
    for row, image in zip(batch, fitted, strict=True):
        columns = row[:, :, : image.shape[1]]
        np.divide(image.transpose(2, 0, 1), np.float32(127.5), out=columns, dtype=np.float32)
        columns -= 1.0
    return batch


def frame_count(width_px: int) -> int:
    """Return the number of output frames of a fitted image; what follows is padding."""
    return -(-width_px // FRAME_PX)


def _line_width_px(image: Image, spec: LineSpec) -> int:
    """Follow resize_norm_img's arithmetic: up where the line is padded, else down."""
    height: int = image.shape[0]
    width: int = image.shape[1]
    ratio = width / height
    padded_px = int(spec.height_px * max(spec.width_px / spec.height_px, ratio))
    if padded_px > LINE_WIDTH_LIMIT_PX:
        return LINE_WIDTH_LIMIT_PX
    return min(math.ceil(spec.height_px * ratio), padded_px)
