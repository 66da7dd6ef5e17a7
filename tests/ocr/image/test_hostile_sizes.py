"""What images say of their size, and what is believed of it."""

import numpy as np
import pytest

from ocr.image.pixels import (
    BadImage,
    declared_pixels,
    decode_image,
    encode_jpeg,
    encode_png,
)
from tests.ocr.image.pictures import tiff_of_tall_tiles


def test_tiles_that_hold_far_more_than_the_picture_are_not_unpacked() -> None:
    with pytest.raises(BadImage, match="32000x4000000 pixels") as caught:
        decode_image(tiff_of_tall_tiles(), max_pixels=20_000_000)

    assert caught.value.reason == "decompression_bomb"


def test_pixels_that_an_image_says_it_has_are_told_sound_or_not() -> None:
    picture = np.zeros((30, 40, 3), np.uint8)

    assert declared_pixels(encode_jpeg(picture)[:-9]) == 1200
    assert declared_pixels(encode_png(picture)[:-9]) == 1200
    assert declared_pixels(tiff_of_tall_tiles(height=10)) == 320_000
    assert declared_pixels(b"nothing") == 0
