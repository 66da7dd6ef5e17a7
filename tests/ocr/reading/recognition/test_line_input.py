"""The input of the net: the same pixels as stock PaddleOCR's."""

import math
from typing import Literal

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.line_input import fit_line, frame_count, to_line_batch

LINE = LineSpec(layout="line", height_px=32, width_px=128)
FIXED = LineSpec(layout="fixed", height_px=32, width_px=128)
SIZES = [(24, 94), (24, 96), (7, 1), (1, 7), (31, 125), (32, 128), (33, 133), (20, 301), (2, 900)]


def picture(height_px: int, width_px: int) -> Image:
    rng = np.random.default_rng(height_px * 10_000 + width_px)
    return rng.integers(0, 256, (height_px, width_px, 3), dtype=np.uint8)


@pytest.mark.parametrize(("height_px", "width_px"), SIZES)
@pytest.mark.parametrize("layout", ["fixed", "line"])
def test_pixels_equal_stock_paddleocr(
    layout: Literal["fixed", "line"], height_px: int, width_px: int
) -> None:
    image = picture(height_px, width_px)
    spec = LineSpec(layout=layout, height_px=32, width_px=128)

    expected = stock_static(image) if layout == "fixed" else stock_line(image)
    fitted = fit_line(image, spec)

    width = min(fitted.shape[1], expected.shape[2])
    batch = to_line_batch([fitted])[0]
    assert fitted.shape[1] <= expected.shape[2]
    np.testing.assert_allclose(batch[:, :, :width], expected[:, :, :width], atol=3e-7)
    assert not expected[:, :, width:].any()
    assert not batch[:, :, width:].any()


def test_padding_is_zero_and_no_pixel_is() -> None:
    every_value = np.arange(256, dtype=np.uint8).reshape(1, 256, 1).repeat(3, axis=2)

    batch = to_line_batch([every_value, every_value[:, :100]])

    assert batch.shape == (2, 3, 1, 256)
    assert batch.dtype == np.float32
    assert (batch[0] != 0).all()
    assert (batch[1, :, :, :100] != 0).all()
    assert not batch[1, :, :, 100:].any()


def test_the_width_of_a_batch_is_a_multiple_of_16() -> None:
    assert to_line_batch([picture(8, 17), picture(8, 3)]).shape == (2, 3, 8, 32)


@pytest.mark.parametrize(("width_px", "frames"), [(1, 1), (4, 1), (5, 2), (128, 32)])
def test_four_columns_make_a_frame(width_px: int, frames: int) -> None:
    assert frame_count(width_px) == frames


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((0, 5, 3), dtype=np.uint8),
        np.zeros((5, 5), dtype=np.uint8),
        np.zeros((5, 5, 4), dtype=np.uint8),
        np.zeros((5, 5, 3), dtype=np.float32),
    ],
)
def test_what_is_no_picture_is_refused(image: NDArray[np.uint8]) -> None:
    with pytest.raises(BadInput, match="Expected an image"):
        fit_line(image, FIXED)


def stock_static(image: Image) -> NDArray[np.float32]:
    """paddlex 3.7.2, OCRReisizeNormImg.staticResize with input_shape (3, 32, 128)."""
    resized = cv2.resize(image, (128, 32)).transpose((2, 0, 1)) / 255
    return np.asarray((resized - 0.5) / 0.5, dtype=np.float32)


def stock_line(image: Image) -> NDArray[np.float32]:
    """paddlex 3.7.2, OCRReisizeNormImg.resize with rec_image_shape [3, 32, 128]."""
    height, width = image.shape[:2]
    padded = int(32 * max(128 / 32, width * 1.0 / height))
    if padded > 3200:
        padded = resized_width = 3200
    else:
        resized_width = min(math.ceil(32 * (width / float(height))), padded)
    resized = cv2.resize(image, (resized_width, 32)).astype("float32").transpose((2, 0, 1)) / 255
    result = np.zeros((3, 32, padded), dtype=np.float32)
    result[:, :, :resized_width] = (resized - 0.5) / 0.5
    return result
