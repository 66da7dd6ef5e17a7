"""How much memory decoding takes at its peak, in a process of its own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from ocr.image.pixels import decode_image

WIDTH, HEIGHT = 4000, 2000
ORIENTATION = 0x0112
MEASURE = """
import sys
from pathlib import Path
from ocr.image.pixels import decode_image

def peak_bytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))

warm, data = (Path(path).read_bytes() for path in sys.argv[1:])
decode_image(warm, max_pixels=10**8)
Path("/proc/self/clear_refs").write_text("5")
before = peak_bytes()
image = decode_image(data, max_pixels=10**8)
print((peak_bytes() - before) / (image.shape[0] * image.shape[1]))
"""


def save(path: Path, *, mode: str, form: str, turned: bool = False, side: int = 0) -> Path:
    width, height = (side, side) if side else (WIDTH, HEIGHT)
    exif = PIL.Image.Exif()
    if turned:
        exif[ORIENTATION] = 6
    options = {"transparency": 0} if mode == "P" else {}
    image = PIL.Image.new(mode, (width, height))
    image.save(path, form, exif=exif, compress_level=1, **options)
    return path


@pytest.mark.parametrize(
    ("form", "mode", "turned", "most"),
    [
        ("PNG", "RGBA", False, 8),
        ("PNG", "LA", False, 8),
        ("PNG", "P", False, 8),
        ("PNG", "RGBA", True, 12),  # turned and not yet turned, at once
        ("TIFF", "I;16", False, 8),
        ("TIFF", "RGB", False, 8),
        ("WEBP", "RGBA", False, 16),  # WebP's own library holds it twice more
    ],
)
def test_decoding_takes_few_bytes_a_pixel(
    form: str, mode: str, turned: bool, most: int, tmp_path: Path
) -> None:
    warm = save(tmp_path / "warm", mode=mode, form=form, turned=turned, side=64)
    large = save(tmp_path / "large", mode=mode, form=form, turned=turned)

    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, str(warm), str(large)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert float(measured.stdout) < most + 0.8  # a strip, and what was encoded


def test_transparency_is_laid_over_white_as_exactly_as_it_can_be(tmp_path: Path) -> None:
    colour, alpha = np.meshgrid(np.arange(256), np.arange(256))
    rgba = np.stack([colour, colour[::-1], colour[:, ::-1], alpha], axis=2).astype(np.uint8)
    PIL.Image.fromarray(rgba).save(tmp_path / "all.png")

    image = decode_image((tmp_path / "all.png").read_bytes(), max_pixels=10**6)

    share = rgba[..., 3:] / 255
    exact = rgba[..., 2::-1] * share + 255 * (1 - share)
    assert np.abs(image - exact).max() < 0.5


DECODE = """
import resource, sys
from pathlib import Path
from ocr.image.pixels import BadImage, decode_grey, decode_image

data, room = Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room,) * 2)
for decode in (decode_image, decode_grey):
    try:
        print(decode(data, max_pixels=10**8).shape[:2])
    except (BadImage, MemoryError) as error:
        print("no memory" if isinstance(error, MemoryError) else error)
"""


NO_MEMORY = "no memory"
PROGRESSIVE = {"progressive": True}
WHOLE = {"progressive": True, "subsampling": 0}


@pytest.mark.parametrize(
    ("form", "options", "bytes_a_pixel", "grey"),
    [
        ("JPEG", {}, 0.5, NO_MEMORY),
        ("PNG", {}, 0.5, NO_MEMORY),
        ("JPEG", PROGRESSIVE, 0.5, NO_MEMORY),
        ("JPEG", PROGRESSIVE, 3.5, NO_MEMORY),
        ("JPEG", WHOLE, 8.5, f"({HEIGHT}, {WIDTH})"),
        ("WEBP", {}, 0.5, NO_MEMORY),  # not for its canvases
        ("WEBP", {"lossless": True}, 9, NO_MEMORY),  # for these alone
        ("WEBP", {"lossless": True, "exif": b"Exif"}, 9, NO_MEMORY),
    ],
)
def test_want_of_memory_is_no_fault_of_the_image(
    form: str, options: dict[str, Any], bytes_a_pixel: float, grey: str, tmp_path: Path
) -> None:
    large = tmp_path / "large"
    PIL.Image.new("RGB", (WIDTH, HEIGHT)).save(large, form, **options)

    decoded = subprocess.run(
        [sys.executable, "-c", DECODE, str(large), str(int(bytes_a_pixel * WIDTH * HEIGHT))],
        capture_output=True,
        text=True,
        check=True,
    )

    assert decoded.stdout.splitlines() == [NO_MEMORY, grey]
