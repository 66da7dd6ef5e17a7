"""What images say of their size, and what is believed of it."""

import io
import struct
from typing import Any

import cv2
import numpy as np
import PIL.Image
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


@pytest.mark.parametrize("options", [{}, {"lossless": True}, {"exif": b"Exif"}], ids=str)
def test_a_webp_is_refused_by_the_size_that_it_says_it_has(options: dict[str, Any]) -> None:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (400, 300)).save(buffer, "WEBP", **options)
    cut = buffer.getvalue()[:32]

    with pytest.raises(BadImage, match="400x300 pixels, allowed are 100000") as caught:
        decode_image(cut, max_pixels=100_000)
    with pytest.raises(BadImage, match="not decodable"):
        decode_image(cut, max_pixels=120_000)

    assert caught.value.reason == "decompression_bomb"


@pytest.mark.parametrize(
    "pnm",
    [
        b"P6\n#" + b"a" * 70_000 + b"\n4 4 255\n" + bytes(48),
        b"P6\n" + b"#\n" * 40_000 + b"4 4 255\n" + bytes(48),
        b"P5" + b" " * 70_000 + b"4 4 255\n" + bytes(16),
        b"P3 4 4 255\n" + b"#\n" * 101 + b"1 " * 48,
        b"P1 4 4\n" + b"#\n" * 101 + b"1 " * 16,
        b"Pf 4 4 " + b" " * 2000,
        b"PyP 4 4\n#" + b"a" * 2000,
    ],
)
def test_a_pnm_that_is_mostly_comment_is_refused_unread(pnm: bytes) -> None:
    with pytest.raises(BadImage, match=r"within 65536 b|than 100 comm|unknown format") as caught:
        decode_image(pnm, max_pixels=1000)

    assert caught.value.reason == "unreadable_image"
    assert declared_pixels(pnm) == 0


@pytest.mark.parametrize(
    ("pnm", "value"),
    [
        (b"P6 2 1 255\n" + b"##!" * 2, [33, 35, 35]),
        (b"P6\n#" + b"a" * 9000 + b"\n2 1 255\n" + b"##!" * 2, [33, 35, 35]),
        (b"P6\n# made by\n# a scanner\n2 1 # wide\n255\n" + b"##!" * 2, [33, 35, 35]),
        (b"P5\t2\r\n1\n255\n" + b"#" * 2, [35, 35, 35]),
        (b"P3\n2 1\n255\n# first\n1 2 3\n# second\n1 2 3\n", [3, 2, 1]),
        (b"P1 2 1\n00", [255, 255, 255]),
        (b"P4 2 1\n\xff", [0, 0, 0]),
    ],
)
def test_pnm_is_read_with_its_comments(pnm: bytes, value: list[int]) -> None:
    assert decode_image(pnm, max_pixels=1000).tolist() == [[value] * 2]
    assert declared_pixels(pnm) == 2


@pytest.mark.parametrize("kind", ["P2", "P3"])
def test_a_long_pnm_of_digits_is_refused_unread(kind: str) -> None:
    pnm = f"{kind} 2000 1000 255\n".encode() + b"1 " * 5_000_000

    with pytest.raises(BadImage, match="a plain PPM or PGM, allowed are 10000000; send PNG"):
        decode_image(pnm, max_pixels=10_000_000)
    assert declared_pixels(pnm) == 0


@pytest.mark.parametrize(("bits", "packing"), [(8, 1), (4, 2)])
def test_a_long_bmp_of_runs_is_refused_unread(bits: int, packing: int) -> None:
    palette, lines = bytes(4 << bits), (b"\1\5" * 50 + b"\0\0") * 50
    sizes = (40, 50, 50, 1, bits, packing, len(lines), 0, 0, 0, 0)
    head = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 0, 0, 54 + len(palette), *sizes)
    bmp = head + palette + lines

    assert decode_image(bmp, max_pixels=2500).shape == (50, 50, 3)
    with pytest.raises(BadImage, match="a BMP packed by RLE, allowed are 5000000; send PNG"):
        decode_image(bmp + bytes(5_000_000), max_pixels=2500)


def test_a_long_bmp_that_is_not_packed_is_read() -> None:
    page = np.full((1500, 1200, 3), 7, np.uint8)

    bmp = cv2.imencode(".bmp", page)[1].tobytes()

    assert np.array_equal(decode_image(bmp, max_pixels=page.size), page)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("is_big", [False, True])
def test_a_tiff_of_a_million_tiles_is_refused_unread(order: str, is_big: bool) -> None:
    magic = {"<": b"II", ">": b"MM"}[order]
    entry, number, link = ("HHQQ", "Q", "Q") if is_big else ("HHII", "H", "I")
    head = magic + struct.pack(f"{order}H", 43 if is_big else 42)
    head += struct.pack(f"{order}HHQ", 8, 0, 16) if is_big else struct.pack(f"{order}I", 8)
    tags = [(256, 4, 1, 1000), (257, 4, 1, 1000), (324, 4, 1_000_000, 0)]
    entries = b"".join(struct.pack(f"{order}{entry}", *tag) for tag in tags)
    tiff = head + struct.pack(f"{order}{number}", len(tags)) + entries
    tiff += struct.pack(f"{order}{link}", 0)

    with pytest.raises(BadImage, match="1000000 tiles or strips, allowed are 50000"):
        decode_image(tiff, max_pixels=10_000_000)
    assert declared_pixels(tiff) == 0


def test_a_tiff_whose_images_go_in_a_circle_comes_to_an_end() -> None:
    tag = struct.pack("<HHII", 256, 4, 1, 1)
    tiff = b"II*\0" + struct.pack("<IH", 8, 1000) + 1000 * tag + struct.pack("<I", 8)

    with pytest.raises(BadImage, match="more than 50000 tags"):
        decode_image(tiff, max_pixels=1000)
