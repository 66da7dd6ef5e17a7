"""The input of a detector: the same pixels as stock PaddleOCR's."""

import numpy as np
import pytest

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.detector_spec import PageSpec
from ocr.reading.detection.page_input import fit_page, to_page_input
from tests.ocr.reading.stock_paddlex import stock_fitted, stock_page_input

SPEC = PageSpec(long_side_px=640)
SIZES = [
    (1, 1),  # tiny pages are padded
    (20, 43),
    (20, 44),  # the first that is not
    (31, 400),
    (17, 3000),  # long
    (4961, 24),
    (639, 641),
    (640, 640),  # stays as it is
    (48, 80),  # halves of 32 round to even
    (1013, 777),
]


def noise_page(height_px: int, width_px: int) -> Image:
    rng = np.random.default_rng(height_px * 10_000 + width_px)
    return rng.integers(0, 256, (height_px, width_px, 3), dtype=np.uint8)


@pytest.mark.parametrize(("height_px", "width_px"), SIZES)
def test_a_page_is_resized_as_stock_paddleocr_does(height_px: int, width_px: int) -> None:
    page = noise_page(height_px, width_px)

    fitted = fit_page(page, SPEC)

    np.testing.assert_array_equal(fitted, stock_fitted(page, long_side_px=640))
    assert fitted.shape[0] % 32 == fitted.shape[1] % 32 == 0


IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}


@pytest.mark.parametrize("spec", [SPEC, PageSpec(640, **IMAGENET)], ids=["half", "imagenet"])
def test_pixels_are_normalised_as_stock_paddleocr_does(spec: PageSpec) -> None:
    fitted = noise_page(64, 96)

    page_input = to_page_input(fitted, spec)

    assert page_input.shape == (1, 3, 64, 96)
    np.testing.assert_array_equal(page_input, stock_page_input(fitted, spec))


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((0, 10, 3), dtype=np.uint8),
        np.zeros((10, 10), dtype=np.uint8),
        np.zeros((10, 10, 4), dtype=np.uint8),
        np.zeros((10, 10, 3), dtype=np.float32),
    ],
)
def test_what_is_no_page_is_refused(image: Image) -> None:
    with pytest.raises(BadInput, match="Expected a page"):
        fit_page(image, SPEC)
