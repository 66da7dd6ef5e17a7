"""Tesseract as a baseline on whole pages: the program of this machine."""

import csv
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from ocr.image.pixels import Image, encode_png
from ocr.models.page_line import PageLine
from ocr.reading.baselines.tesseract import find_tesseract, name_tesseract, run_tesseract
from ocr.reading.page_reader import PageReading

_LINE_LEVEL, _WORD_LEVEL = "4", "5"

Row = dict[str, str]


class TesseractPages:
    """The program ``tesseract`` as it comes: it lays the page out by itself."""

    def __init__(self, *, language: str = "eng") -> None:
        """Find the program.

        Raises:
            BadInput: It is not installed, or lacks the language.
        """
        self._program = find_tesseract(language)
        self._language = language
        self.name = name_tesseract(self._program, language)

    def read(self, image: Image) -> PageReading:
        """Read a (H, W, 3) BGR page of any size.

        Raises:
            BadData: The program failed.
        """
        with TemporaryDirectory() as folder:
            path = Path(folder) / "page.png"
            path.write_bytes(encode_png(image))
            table = run_tesseract([self._program, str(path), "stdout", "-l", self._language, "tsv"])
        rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        return PageReading(lines=tuple(_join_lines(rows)), rotation=0, timings={})


def _join_lines(rows: Iterable[Row]) -> list[PageLine]:
    """Join the words of each line; the box is the line's own."""
    boxes: dict[tuple[str, ...], Row] = {}
    words: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        key = (row["block_num"], row["par_num"], row["line_num"])
        if row["level"] == _LINE_LEVEL:
            boxes[key] = row
        elif row["level"] == _WORD_LEVEL and row["text"].strip():
            words.setdefault(key, []).append(row)
    return [_to_line(boxes[key], found) for key, found in words.items()]


def _to_line(box: Row, words: list[Row]) -> PageLine:
    left, top = float(box["left"]), float(box["top"])
    right, bottom = left + float(box["width"]), top + float(box["height"])
    return PageLine(
        polygon=((left, top), (right, top), (right, bottom), (left, bottom)),
        text=" ".join(word["text"] for word in words),
        confidence=sum(float(word["conf"]) for word in words) / len(words) / 100,
    )
