"""Small text pictures and labelled folders for tests."""

import io
import re
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import PIL.Image

from ocr.image.pixels import Image, encode_png


def draw_text(text: str, *, seed: int = 0, width: int = 96, height: int = 32) -> Image:
    """A text over a blotchy background that the seed decides."""
    rng = np.random.default_rng([seed, *text.encode()])
    blotches = rng.integers(60, 250, size=(4, 12, 3)).astype(np.uint8)
    image = cv2.resize(blotches, (width, height), interpolation=cv2.INTER_LINEAR)
    at = (4, height - 9)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 2)
    return np.asarray(image, np.uint8)


def write_labels(root: Path, name: str, rows: Mapping[str, str]) -> None:
    """A PaddleOCR label file of image name to text, and a picture for each."""
    root.mkdir(parents=True, exist_ok=True)
    for image, text in rows.items():
        path = root / image
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(encode_png(draw_text(text, seed=len(image) + hash_name(image))))
    lines = "".join(f"{image}\t{text}\n" for image, text in rows.items())
    (root / name).write_text(lines, encoding="utf-8")


def hash_name(name: str) -> int:
    """A number of a name, the same in every process."""
    return int.from_bytes(name.encode()[-6:], "big")


def jpeg_of_scans(count: int) -> bytes:
    """A progressive JPEG whose first scan comes again until there are so many."""
    image = PIL.Image.fromarray(draw_text("AB12"))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", progressive=True, restart_marker_blocks=1)
    data = buffer.getvalue()
    first, second = (match.start() for match in list(re.finditer(b"\xff\xda", data))[:2])
    scan = data[first : data.rindex(b"\xff\xc4", first, second)]
    return data[:first] + scan * (count - data.count(b"\xff\xda")) + data[first:]


def tiff_of_tall_tiles(*, width: int = 32_000, height: int = 600, tile: int = 4_000_000) -> bytes:
    """Write a TIFF whose tiles, all of one small piece of data, say that they are very high."""
    packed = zlib.compress(bytes(1000))
    count = width // 16
    end = 8 + len(packed)
    tags = {
        256: (4, 1, width),
        257: (4, 1, height),
        258: (3, 1, 8),
        259: (3, 1, 8),
        262: (3, 1, 1),
        277: (3, 1, 1),
        322: (4, 1, 16),
        323: (4, 1, tile),
        324: (4, count, end),
        325: (4, count, end + 4 * count),
    }
    entries = b"".join(struct.pack("<HHII", tag, *value) for tag, value in tags.items())
    places = struct.pack(f"<{2 * count}I", *[8] * count, *[len(packed)] * count)
    head = b"II*\0" + struct.pack("<I", end + 8 * count)
    return head + packed + places + struct.pack("<H", len(tags)) + entries + bytes(4)
