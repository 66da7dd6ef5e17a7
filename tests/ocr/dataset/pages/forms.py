"""A4 forms of one template: every field has a printed name, every fourth a value of its own."""

from pathlib import Path

import cv2
import numpy as np

from ocr.image.pixels import Image, encode_jpeg, encode_png
from tests.ocr.dataset.pages.sheets import Entry, add_row

_FIELDS = 40
_LINE_PX = 42


def form_texts(number: int) -> list[tuple[str, str]]:
    """Name and value of each field; the value is empty where nothing is filled in."""
    rng = np.random.default_rng(number)
    values = [str(rng.integers(10**5, 10**6)) if at % 4 == 0 else "" for at in range(_FIELDS)]
    return [(f"Field{at}:", value) for at, value in enumerate(values)]


def draw_form(number: int) -> Image:
    """1240x1754 pixels, 150 dpi; all printed names to the pixel where they are on the others."""
    page = np.full((1754, 1240, 3), 255, np.uint8)
    for line, texts in enumerate(form_texts(number)):
        for x, text in zip((80, 480), texts, strict=True):
            place = (x, _LINE_PX * line + 60)
            cv2.putText(page, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
    return page


def label_form(number: int, *, misread: int = 0, scale: float = 1.0) -> list[Entry]:
    """PaddleOCR's label; the first names are read wrongly, as another's OCR would."""
    entries: list[Entry] = []
    for line, texts in enumerate(form_texts(number)):
        for x, text in zip((80, 480), texts, strict=True):
            if text:
                read = text.replace("i", "l") if line < misread else text
                corners = np.array([[0, -30], [300, -30], [300, 10], [0, 10]])
                box = corners + np.array([x, _LINE_PX * line + 60])
                entries.append({"transcription": read, "points": (box * scale).tolist()})
    return entries


def write_forms(root: Path, *, count: int) -> None:
    """Forms 0.png and on, in forms.txt."""
    root.mkdir(exist_ok=True)
    for number in range(count):
        (root / f"{number}.png").write_bytes(encode_png(draw_form(number)))
        add_row(root, "forms.txt", f"{number}.png", label_form(number))


def write_rescan(root: Path, number: int, *, misread: int) -> None:
    """Another scan of a form, rescan0.jpg, with labels that differ in some places."""
    page = cv2.resize(draw_form(number), None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA)
    (root / f"rescan{number}.jpg").write_bytes(encode_jpeg(np.asarray(page, np.uint8)))
    add_row(
        root, "forms.txt", f"rescan{number}.jpg", label_form(number, misread=misread, scale=0.8)
    )
