"""A reader of pages that says what a table tells it to."""

from collections.abc import Mapping, Sequence

import numpy as np

from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading
from tests.ocr.dataset.pages.sheets import draw_page, entry

Texts = Sequence[tuple[str, float]]


class ToldReader:
    """Knows pages of `draw_page` by their pixels, and their texts, each with a confidence."""

    name = "told v1"

    def __init__(self) -> None:
        self._lines: dict[bytes, tuple[PageLine, ...]] = {}

    def draw(self, texts: Texts, *, seed: int) -> Image:
        """Draw a page that is known from now on."""
        image = draw_page([text for text, _ in texts], seed=seed)
        self._lines[image.tobytes()] = tuple(
            PageLine(_polygon(entry(text, line)), text, confidence)
            for line, (text, confidence) in enumerate(texts)
        )
        return image

    def read(self, image: Image) -> PageReading:
        lines = self._lines.get(np.ascontiguousarray(image).tobytes(), ())
        return PageReading(lines=lines, rotation=0, timings={})


def _polygon(label: Mapping[str, list[list[int]]]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in label["points"])
