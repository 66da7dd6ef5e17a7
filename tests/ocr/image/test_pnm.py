import numpy as np
import PIL.Image
import PIL.PpmImagePlugin
import pytest

from ocr.image.pixels import BadImage, decode_image
from ocr.image.pnm import PnmDecoder

WIDTH, HEIGHT = 37, 29


@pytest.mark.parametrize("kind", ["P5", "P6"])
@pytest.mark.parametrize("most", [1, 7, 100, 254, 256, 4095, 65_534, 65_535])
def test_levels_become_what_pillow_makes_of_them(
    monkeypatch: pytest.MonkeyPatch, kind: str, most: int
) -> None:
    size = WIDTH * HEIGHT * (3 if kind == "P6" else 1) * (1 if most < 256 else 2)
    data = f"{kind} {WIDTH} {HEIGHT} {most}\n".encode() + np.random.default_rng(0).bytes(size)

    assert PIL.Image.DECODERS["ppm"] is PnmDecoder
    image = decode_image(data, max_pixels=10_000)
    monkeypatch.setitem(PIL.Image.DECODERS, "ppm", PIL.PpmImagePlugin.PpmDecoder)

    assert np.array_equal(image, decode_image(data, max_pixels=10_000))


def test_a_pnm_that_is_cut_is_refused() -> None:
    with pytest.raises(BadImage, match="not enough image data"):
        decode_image(b"P6 4 4 4095\n" + bytes(95), max_pixels=10_000)
