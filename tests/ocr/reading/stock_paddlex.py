"""What stock PaddleOCR 3.x makes of pages, maps and boxes: paddlex's own classes, as references."""

import os
import tempfile
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from ocr.models.detector_spec import PageSpec

# paddlex makes its cache folder when it is imported.
os.environ.setdefault("PADDLE_PDX_CACHE_HOME", tempfile.gettempdir() + "/ocrline-paddlex")

from paddlex.inference.models.text_detection.processors import (
    DBPostProcess,
    DetResizeForTest,
    NormalizeImage,
)
from paddlex.inference.pipelines.components import CropByPolys


def stock_fitted(image: Image, *, long_side_px: int) -> Image:
    """Resize a page."""
    resize = DetResizeForTest(limit_side_len=long_side_px, limit_type="max")
    fitted: Image = resize([image])[0][0]
    return fitted


def stock_page_input(fitted: Image, spec: PageSpec) -> NDArray[np.float32]:
    """Normalise a resized page to (1, 3, H, W)."""
    normalize = NormalizeImage(
        mean=list(spec.mean), std=list(spec.std), scale="1./255.", order="hwc"
    )
    page_input: NDArray[np.float32] = normalize([fitted])[0].transpose(2, 0, 1)[None]
    return page_input


def stock_boxes(
    probabilities: NDArray[np.float32],
    *,
    threshold: float,
    box_threshold: float,
    unclip_ratio: float,
    width_px: int,
    height_px: int,
) -> tuple[NDArray[np.int16], list[float]]:
    """Turn a map (H, W) into boxes (N, 4, 2) and scores."""
    find = DBPostProcess(thresh=threshold, box_thresh=box_threshold, unclip_ratio=unclip_ratio)
    page_shape = np.array([height_px, width_px, 1.0, 1.0])
    boxes, scores = find([probabilities[None, None]], [page_shape])
    return boxes[0], scores[0]


def stock_crops(page: Image, boxes: Sequence[NDArray[np.generic]]) -> list[Image]:
    """Cut boxes (4, 2) out of a page."""
    crops: list[Image] = CropByPolys(det_box_type="quad")(page, list(boxes))
    return crops
