"""Small text pictures and labelled folders for tests."""

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np

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
