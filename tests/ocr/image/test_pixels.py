import io
import struct
import subprocess
import sys
import zlib

import cv2
import numpy as np
import PIL.Image
import pytest
from numpy.typing import NDArray

from ocr.dataset.quarantine import Reason
from ocr.image.header import PNG_MAGIC, image_suffix
from ocr.image.pixels import (
    BadImage,
    decode_grey,
    decode_image,
    encode_jpeg,
    encode_png,
    to_grey,
)
from tests.ocr.image.pictures import draw_text, jpeg_of_scans
from tests.shared_data import PLATES, needs_plates

MAX_PIXELS = 1_000_000


def encode(
    pixels: NDArray[np.generic], form: str, mode: str = "", *, exif: PIL.Image.Exif | None = None
) -> bytes:
    image = PIL.Image.fromarray(pixels)
    buffer = io.BytesIO()
    kept = {} if exif is None else {"exif": exif}
    (image.convert(mode) if mode else image).save(buffer, form, quality=100, lossless=True, **kept)
    return buffer.getvalue()


def png_claiming(width: int, height: int) -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))
    end = struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    return PNG_MAGIC + chunk + end


def patched(data: bytes, at: int, layout: str) -> bytes:
    """The same image, but claiming 50,000 pixels each way in the two fields there."""
    size = struct.pack(layout, 50_000, 50_000)
    return data[:at] + size + data[at + len(size) :]


RGB = draw_text("AB12")[..., ::-1].copy()
GREY = RGB[..., 1].copy()
JPEG = encode_jpeg(draw_text("A"))


@pytest.mark.parametrize("form", ["PNG", "BMP", "TIFF", "PPM", "WEBP"])
def test_lossless_formats_give_their_pixels_in_bgr(form: str) -> None:
    data = encode(RGB, form)

    assert np.array_equal(decode_image(data, max_pixels=MAX_PIXELS), RGB[..., ::-1])


@pytest.mark.parametrize("form", ["PNG", "TIFF", "JPEG", "BMP", "PPM"])
def test_grey_becomes_three_equal_channels(form: str) -> None:
    image = decode_image(encode(GREY, form), max_pixels=MAX_PIXELS)

    assert image.shape == (*GREY.shape, 3)
    assert np.array_equal(image[..., 0], image[..., 2])
    assert np.abs(image[..., 0].astype(int) - GREY).max() <= 20


@pytest.mark.parametrize("form", ["PNG", "TIFF"])
def test_sixteen_bits_become_eight(form: str) -> None:
    data = encode(GREY.astype(np.uint16) * 257, form)

    assert np.array_equal(decode_image(data, max_pixels=MAX_PIXELS)[..., 0], GREY)


def test_sixteen_bit_transparency_is_laid_over_white() -> None:
    pixels = np.zeros((8, 8, 4), np.uint16)
    pixels[:4, :, 3] = 65535
    data = cv2.imencode(".png", pixels)[1].tobytes()

    image = decode_image(data, max_pixels=MAX_PIXELS)

    assert (image[:4] == 0).all()
    assert (image[4:] == 255).all()


@pytest.mark.parametrize(
    ("form", "mode"), [("PNG", "RGBA"), ("PNG", "LA"), ("TIFF", "RGBA"), ("WEBP", "RGBA")]
)
def test_transparency_is_laid_over_white(form: str, mode: str) -> None:
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:4, :, 3] = 255

    image = decode_image(encode(pixels, form, mode), max_pixels=MAX_PIXELS)

    assert (image[:4] == 0).all()
    assert (image[4:] == 255).all()


@pytest.mark.parametrize("mode", ["P", "L", "RGB"])
def test_a_transparent_colour_of_a_png_is_laid_over_white(mode: str) -> None:
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:4] = 200
    source = PIL.Image.fromarray(pixels).convert(mode)
    transparent = source.getpixel((0, 7))
    buffer = io.BytesIO()
    source.save(buffer, "PNG", transparency=transparent)

    image = decode_image(buffer.getvalue(), max_pixels=MAX_PIXELS)

    assert np.abs(image[:4].astype(int) - 200).max() <= 8
    assert (image[4:] == 255).all()


def test_palette_and_animation_give_the_first_frame_in_colour() -> None:
    red = PIL.Image.new("RGB", (16, 12), (255, 0, 0))
    buffer = io.BytesIO()
    red.save(buffer, "GIF", save_all=True, append_images=[PIL.Image.new("RGB", (16, 12))])

    image = decode_image(buffer.getvalue(), max_pixels=MAX_PIXELS)

    assert image.shape == (12, 16, 3)
    assert (image == (0, 0, 255)).all()


def test_cmyk_jpeg_becomes_colour() -> None:
    pixels = np.zeros((16, 16, 3), np.uint8)
    pixels[..., 0] = 255

    image = decode_image(encode(pixels, "JPEG", "CMYK"), max_pixels=MAX_PIXELS)

    assert np.abs(image.astype(int) - (0, 0, 255)).max() <= 8


@pytest.mark.parametrize(
    ("form", "mode"),
    [("JPEG", ""), ("TIFF", ""), ("WEBP", ""), ("PNG", ""), ("PNG", "RGBA"), ("PNG", "LA")],
)
def test_exif_orientation_is_applied(form: str, mode: str) -> None:
    exif = PIL.Image.Exif()
    exif[0x0112] = 6  # stored lying on its left side

    image = decode_image(encode(RGB, form, mode, exif=exif), max_pixels=MAX_PIXELS)

    assert image.shape == (RGB.shape[1], RGB.shape[0], 3)


CASES: list[tuple[str, bytes, Reason]] = [
    ("nothing", b"", "unreadable_image"),
    ("a text", b"image\ttext\n", "unreadable_image"),
    ("a web page", b"<!DOCTYPE html><html></html>", "unreadable_image"),
    ("noise behind a jpeg magic", b"\xff\xd8\xff" + bytes(range(200)), "unreadable_image"),
    ("a png magic alone", PNG_MAGIC, "unreadable_image"),
    ("half a jpeg", encode_jpeg(draw_text("A"))[:900], "truncated_image"),
    ("a jpeg without its last byte", encode_jpeg(draw_text("A"))[:-1], "truncated_image"),
    ("half a png", encode_png(draw_text("A"))[:900], "truncated_image"),
    ("a png without its last byte", encode_png(draw_text("A"))[:-1], "truncated_image"),
    ("half a bmp", encode(RGB, "BMP")[:900], "truncated_image"),
    ("half a tiff", encode(RGB, "TIFF")[:900], "truncated_image"),
    ("a png bomb", png_claiming(50_000, 50_000), "decompression_bomb"),
    ("a jpeg bomb", patched(JPEG, JPEG.index(b"\xff\xc0") + 5, ">HH"), "decompression_bomb"),
    ("a bmp bomb", patched(encode(RGB, "BMP"), 18, "<ii"), "decompression_bomb"),
    ("a gif bomb", patched(encode(RGB, "GIF"), 6, "<HH"), "decompression_bomb"),
    ("a png 32,001 px wide", png_claiming(32_001, 8), "decompression_bomb"),
    (
        "a tiff 32,001 px high",
        encode(np.zeros((32_001, 8), np.uint8), "TIFF"),
        "decompression_bomb",
    ),
    ("a png of no width", png_claiming(0, 10), "unreadable_image"),
    ("a png without pixels", png_claiming(10, 10), "unreadable_image"),
]


@pytest.mark.parametrize(
    ("data", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_bad_image_is_refused_with_its_reason(data: bytes, reason: Reason) -> None:
    with pytest.raises(BadImage) as refusal:
        decode_image(data, max_pixels=MAX_PIXELS)

    assert refusal.value.reason == reason


def test_png_with_a_flipped_bit_is_refused() -> None:
    data = bytearray(encode_png(draw_text("A")))
    data[200] ^= 1

    with pytest.raises(BadImage, match="checksum"):
        decode_image(bytes(data), max_pixels=MAX_PIXELS)


def test_jpeg_of_many_scans_is_refused_before_it_is_decoded() -> None:
    assert decode_image(jpeg_of_scans(100), max_pixels=MAX_PIXELS).shape == RGB.shape

    with pytest.raises(BadImage, match="more than 100 scans") as refusal:
        decode_image(jpeg_of_scans(101), max_pixels=MAX_PIXELS)

    assert refusal.value.reason == "decompression_bomb"


def test_scans_behind_a_marker_of_no_length_are_counted() -> None:
    data = jpeg_of_scans(150)
    at = data.index(b"\xff\xda") + 2
    hidden = data[at:].replace(b"\xff\xda", b"\xff\x02\xff\xff\xff\xda")

    with pytest.raises(BadImage, match="more than 100 scans"):
        decode_image(data[:at] + hidden, max_pixels=MAX_PIXELS)


@pytest.mark.parametrize("marker", [b"\xff\xfe\0\2", b"\xff\2"])
def test_jpeg_of_nothing_but_markers_is_refused(marker: bytes) -> None:
    at = JPEG.index(b"\xff\xda")

    with pytest.raises(BadImage, match="without a sound header"):
        decode_image(JPEG[:at] + marker * 10_000 + JPEG[at:], max_pixels=MAX_PIXELS)


def test_what_only_looks_like_a_scan_is_not_counted() -> None:
    comment = b"\xff\xfe" + struct.pack(">H", 602) + b"\xff\xda" * 300
    at = JPEG.index(b"\xff\xda")
    data = JPEG[:at] + comment + JPEG[at:-2] + comment + JPEG[-2:] + b"\xff\xda" * 300

    image = decode_image(data, max_pixels=MAX_PIXELS)

    assert np.array_equal(image, decode_image(JPEG, max_pixels=MAX_PIXELS))


def test_a_bomb_costs_no_memory() -> None:
    code = (
        "import resource, sys; from ocr.image.pixels import BadImage, decode_image\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: decode_image(sys.stdin.buffer.read(), max_pixels=50_000_000)\n"
        "except BadImage as error: print(error.reason)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )

    data = png_claiming(50_000, 50_000)
    run = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)

    reason, grown_kib = run.stdout.decode().split()
    assert reason == "decompression_bomb"
    assert int(grown_kib) < 50_000


def test_encoding_is_deterministic_and_knows_its_suffix() -> None:
    image = draw_text("A")

    assert encode_jpeg(image) == encode_jpeg(image.copy())
    assert image_suffix(encode_jpeg(image)) == ".jpg"
    assert image_suffix(encode_png(image)) == ".png"
    assert image_suffix(encode(RGB, "WEBP")) == ".webp"


@needs_plates
def test_real_crops_decode_as_opencv_reads_them() -> None:
    for path in sorted((PLATES / "images").iterdir())[:50]:
        data = path.read_bytes()

        expected = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        assert np.array_equal(decode_image(data, max_pixels=MAX_PIXELS), expected)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_brightness_alone_is_that_of_the_image(form: str) -> None:
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    data = encode(draw_text("AB1234")[..., ::-1], form, exif=exif)

    grey = decode_grey(data, max_pixels=MAX_PIXELS).astype(int)

    of_image = to_grey(decode_image(data, max_pixels=MAX_PIXELS))
    assert np.abs(grey - of_image).mean() < 1


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_brightness_of_what_is_no_image_is_refused_alike(form: str) -> None:
    whole = encode(RGB, form)
    for damaged in (whole[: len(whole) // 2], whole[:20], b"\xff\xd8\xff", PNG_MAGIC):
        with pytest.raises(BadImage) as colour:
            decode_image(damaged, max_pixels=MAX_PIXELS)
        with pytest.raises(BadImage) as grey:
            decode_grey(damaged, max_pixels=MAX_PIXELS)
        assert (grey.value.reason, str(grey.value)) == (colour.value.reason, str(colour.value))


@pytest.mark.parametrize("factors", [b"\x13\x11\x12", b"\x13\x12\x12", b"\x23\x12\x12"])
def test_jpeg_that_only_its_brightness_could_be_read_of_is_refused(factors: bytes) -> None:
    data = bytearray(JPEG)
    start = data.index(b"\xff\xc0") + 11
    data[start : start + 9 : 3] = factors

    for decode in (decode_image, decode_grey):
        with pytest.raises(BadImage, match="not decodable"):
            decode(bytes(data), max_pixels=MAX_PIXELS)
