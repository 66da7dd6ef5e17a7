"""Small pages with known regions, and label files of them, for tests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr.image.pixels import Image, encode_png

Entry = dict[str, Any]


def draw_page(texts: Sequence[str], *, seed: int = 0, width: int = 200) -> Image:
    """A page with one line of text below the other, each as `entry` marks it."""
    rng = np.random.default_rng(seed)
    tint = rng.integers(150, 250, size=(6, 5, 3)).astype(np.uint8)
    page = cv2.resize(tint, (width, 40 * len(texts) + 20), interpolation=cv2.INTER_LINEAR)
    for line, text in enumerate(texts):
        cv2.putText(page, text, (12, 40 * line + 35), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 2)
    return np.asarray(page, np.uint8)


def entry(text: str, line: int, *, width: int = 180, **more: object) -> Entry:
    """PaddleOCR's label of a line of `draw_page`."""
    top, bottom = 40 * line + 12, 40 * line + 44
    points = [[8, top], [width, top], [width, bottom], [8, bottom]]
    return {"transcription": text, "points": points, **more}


def write_page(root: Path, image: str, texts: Sequence[str]) -> list[Entry]:
    """Draw a page, unlike those of other names, and label every line."""
    path = root / image
    path.parent.mkdir(parents=True, exist_ok=True)
    seed = int.from_bytes(image.encode()[-8:], "big")
    path.write_bytes(encode_png(draw_page(texts, seed=seed)))
    return [entry(text, line) for line, text in enumerate(texts)]


def write_pages(root: Path, name: str, pages: Mapping[str, Sequence[str]]) -> None:
    """A PaddleOCR detection label file, and a page for each of its rows."""
    rows = {image: write_page(root, image, texts) for image, texts in pages.items()}
    lines = (f"{image}\t{json.dumps(entries)}\n" for image, entries in rows.items())
    (root / name).write_text("".join(lines), encoding="utf-8")


def add_row(root: Path, name: str, image: str, entries: object) -> None:
    """Append a row to a PaddleOCR detection label file."""
    with (root / name).open("a", encoding="utf-8") as file:
        file.write(f"{image}\t{json.dumps(entries)}\n")
