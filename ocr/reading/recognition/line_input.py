"""Images to the input of a recogniser, equal to stock PaddleOCR's to the last pixel."""

import math
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.recogniser_spec import LineSpec

LINE_WIDTH_LIMIT_PX = 3200
"""Stock PaddleOCR squeezes a line that would be wider."""


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
    size = fitted_width_px(image, spec), spec.height_px
    return np.asarray(cv2.resize(image, size), dtype=np.uint8)


def fitted_width_px(image: Image, spec: LineSpec) -> int:
    """Return the width to which `fit_line` resizes an image.

    In layout line it follows resize_norm_img's arithmetic: up where the line is padded, else down.
    """
    if spec.layout == "fixed":
        return spec.width_px
    height: int = image.shape[0]
    width: int = image.shape[1]
    ratio = width / height
    padded_px = int(spec.height_px * max(spec.width_px / spec.height_px, ratio))
    if padded_px > LINE_WIDTH_LIMIT_PX:
        return LINE_WIDTH_LIMIT_PX
    return min(math.ceil(spec.height_px * ratio), padded_px)


def to_line_batch(fitted: Sequence[Image], spec: LineSpec) -> NDArray[np.float32]:
    """Stack fitted images into the input of the net.

    Args:
        fitted: Images of one height, each (H, W, 3) BGR.
        spec: The input of the net. Where it sees padding, all images have one padded width.

    Returns:
        (N, 3, H, W) with pixel / 127.5 - 1, W the widest padded width, padded on the right with
        exactly 0.0: no pixel is, so a net can find its valid columns itself.
    """
    width_px = max(padded_width_px(image.shape[1], spec) for image in fitted)
    batch = np.zeros((len(fitted), 3, fitted[0].shape[0], width_px), dtype=np.float32)
    for row, image in zip(batch, fitted, strict=True):
        columns = row[:, :, : image.shape[1]]
        np.divide(image.transpose(2, 0, 1), np.float32(127.5), out=columns, dtype=np.float32)
        columns -= 1.0
    return batch


def padded_width_px(width_px: int, spec: LineSpec) -> int:
    """Return the width to which a fitted image is padded when it is alone in a batch."""
    least_px = spec.width_px if spec.padding == "seen" else 0
    return -(-max(width_px, least_px) // spec.width_multiple_px) * spec.width_multiple_px


def frame_count(width_px: int, spec: LineSpec) -> int:
    """Return the number of output frames of a fitted image that count."""
    counted_px = padded_width_px(width_px, spec) if spec.padding == "seen" else width_px
    return -(-counted_px // spec.frame_px)


def batches_by_width(
    widths_px: Sequence[int], *, spec: LineSpec, budget_px: int
) -> Iterator[list[int]]:
    """Group indices of fitted images of similar width.

    Args:
        widths_px: Width of each fitted image.
        spec: The input of the net. Where it sees padding, a group has one padded width.
        budget_px: Largest total width of a group of several, each as wide as its widest.
    """
    batch: list[int] = []
    for index in sorted(range(len(widths_px)), key=widths_px.__getitem__):
        if batch and (
            (len(batch) + 1) * widths_px[index] > budget_px
            or not _may_share(widths_px[batch[0]], widths_px[index], spec)
        ):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _may_share(one_px: int, other_px: int, spec: LineSpec) -> bool:
    return spec.padding == "masked" or padded_width_px(one_px, spec) == padded_width_px(
        other_px, spec
    )
