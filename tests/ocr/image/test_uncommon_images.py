"""What few images are, and what few machines say of them."""

import io

import PIL.Image
import PIL.ImageOps
import pytest

from ocr.image.pixels import BadImage, count_frames, decode_image

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
