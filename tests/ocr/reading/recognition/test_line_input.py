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
from ocr.reading.recognition.line_input import (
    batches_by_width,
    fit_line,
    frame_count,
    to_line_batch,
)

LINE = LineSpec(layout="line", height_px=32, width_px=128)
FIXED = LineSpec(layout="fixed", height_px=32, width_px=128)
SEEN = LineSpec("line", 48, 64, frame_px=8, width_multiple_px=8, padding="seen")
BUDGET_PX = 2048
SIZES = [
    *((24, 94), (24, 96), (7, 1), (1, 7), (31, 125), (32, 128), (33, 133), (20, 301)),
    *((9, 900), (9, 901), (2, 900)),  # up to the widest, and wider
]


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
    batch = to_line_batch([fitted], spec)[0]
    assert fitted.shape[1] <= expected.shape[2]
    np.testing.assert_allclose(batch[:, :, :width], expected[:, :, :width], atol=3e-7)
    assert not expected[:, :, width:].any()
    assert not batch[:, :, width:].any()


def test_padding_is_zero_and_no_pixel_is() -> None:
    every_value = np.arange(256, dtype=np.uint8).reshape(1, 256, 1).repeat(3, axis=2)

    batch = to_line_batch([every_value, every_value[:, :100]], LINE)

    assert batch.shape == (2, 3, 1, 256)
    assert batch.dtype == np.float32
    assert (batch[0] != 0).all()
    assert (batch[1, :, :, :100] != 0).all()
    assert not batch[1, :, :, 100:].any()


@pytest.mark.parametrize(
    ("spec", "widths_px", "width_px"),
    [(LINE, (17, 3), 32), (FIXED, (128, 128), 128), (SEEN, (66, 71), 72), (SEEN, (3, 5), 64)],
)
def test_the_width_of_a_batch_is_what_the_net_takes(
    spec: LineSpec, widths_px: tuple[int, int], width_px: int
) -> None:
    batch = to_line_batch([picture(spec.height_px, width) for width in widths_px], spec)

    assert batch.shape == (2, 3, spec.height_px, width_px)


@pytest.mark.parametrize(
    ("spec", "width_px", "frames"),
    [(LINE, 1, 1), (LINE, 4, 1), (LINE, 5, 2), (FIXED, 128, 32), (SEEN, 5, 8), (SEEN, 65, 9)],
)
def test_a_net_that_sees_padding_makes_frames_of_it(
    spec: LineSpec, width_px: int, frames: int
) -> None:
    assert frame_count(width_px, spec) == frames


@pytest.mark.parametrize(("frame_px", "multiple_px"), [(0, 16), (-4, 16), (8, 12)])
def test_an_input_that_gives_broken_frames_is_refused(frame_px: int, multiple_px: int) -> None:
    with pytest.raises(BadInput, match=f"expected a multiple of frame_px, which is {frame_px}"):
        LineSpec("line", 32, 128, frame_px=frame_px, width_multiple_px=multiple_px)


@pytest.mark.parametrize("spec", [LINE, SEEN])
def test_batches_group_similar_widths_within_the_budget(spec: LineSpec) -> None:
    widths_px = np.random.default_rng(0).integers(8, 3200, 500).tolist()

    batches = list(batches_by_width(widths_px, spec=spec, budget_px=BUDGET_PX))

    assert sorted(index for batch in batches for index in batch) == list(range(500))
    shared = [batch for batch in batches if len(batch) > 1]
    assert max(len(batch) * max(widths_px[i] for i in batch) for batch in shared) <= BUDGET_PX
    flat = [widths_px[index] for batch in batches for index in batch]
    assert flat == sorted(flat)


def test_lines_whose_padding_is_seen_share_a_batch_only_if_padded_alike() -> None:
    batches = batches_by_width([70, 72, 73, 9, 64, 80], spec=SEEN, budget_px=BUDGET_PX)

    assert list(batches) == [[3, 4], [0, 1], [2, 5]]


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
