"""What few images are, and what few machines say of them."""

import io

import PIL.Image
import PIL.ImageOps
import pytest

from ocr.image.pixels import BadImage, count_frames, decode_image
from tests.ocr.image.documents import make_pdf

MAX_PIXELS = 1_000_000


def saved(image: PIL.Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "TIFF")
    return stream.getvalue()


def test_refusal_names_no_file_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/opt/secret/library.py")

    monkeypatch.setattr(PIL.ImageOps, "exif_transpose", fail)

    with pytest.raises(BadImage) as refusal:
        decode_image(saved(PIL.Image.new("L", (8, 8))), max_pixels=MAX_PIXELS)

    assert str(refusal.value) == "not decodable: Permission denied"


@pytest.mark.parametrize("is_big", [False, True])
def test_pages_of_a_big_tiff_are_counted_as_those_of_any(is_big: bool) -> None:
    stream, page = io.BytesIO(), PIL.Image.new("L", (8, 8))
    page.save(stream, "TIFF", save_all=True, append_images=[page], big_tiff=is_big)

    assert count_frames(stream.getvalue(), at_most=9) == 2


@pytest.mark.parametrize(
    ("mode", "black", "white"),
    [("F", 0, 1), ("F", -0.2, 1.23), ("F", -9, -1), ("I", 0, 255), ("I", 0, 256), ("I;16", 0, 255)],
)
def test_grey_that_would_come_out_black_is_refused(mode: str, black: float, white: float) -> None:
    page = PIL.Image.new(mode, (8, 8), black)
    page.putpixel((3, 4), white)

    said = rf"^16 or 32 bits a pixel, from {black:g} to {white:g}: save it with 8 bits$"
    with pytest.raises(BadImage, match=said) as refusal:
        decode_image(saved(page), max_pixels=MAX_PIXELS)

    assert refusal.value.reason == "unreadable_image"


@pytest.mark.parametrize(("mode", "white"), [("F", 255), ("I", 65_535)])
def test_grey_of_32_bits_is_read_from_black_to_white(mode: str, white: int) -> None:
    page = PIL.Image.new(mode, (8, 8))
    black = decode_image(saved(page), max_pixels=MAX_PIXELS)
    page.putpixel((3, 4), white)

    image = decode_image(saved(page), max_pixels=MAX_PIXELS)

    assert not black.any()
    assert image[4, 3].tolist() == [255] * 3
    assert image.sum() == 3 * 255


@pytest.mark.parametrize(
    ("brand", "kind"),
    [(b"heic", "HEIC"), (b"heix", "HEIC"), (b"mif1", "HEIF"), (b"avif", "AVIF")],
)
def test_picture_of_a_phone_is_refused_by_its_name_with_the_fix(brand: bytes, kind: str) -> None:
    data = b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0mif1" + bytes(500)

    with pytest.raises(BadImage, match=f"in {kind}; export it as JPEG") as refusal:
        decode_image(data, max_pixels=MAX_PIXELS)

    assert refusal.value.reason == "unreadable_image"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty: 0 bytes"),
        (make_pdf(), "a PDF, not an image; it is read as a document"),
        (b"hello", "not an image: 5 bytes of an unknown format"),
        (b"Phello", "not an image: 6 bytes of an unknown format"),
    ],
)
def test_what_is_no_image_is_told_for_what_it_is(data: bytes, said: str) -> None:
    with pytest.raises(BadImage) as refusal:
        decode_image(data, max_pixels=MAX_PIXELS)

    assert str(refusal.value) == said
