"""Made-up pages: regions, readings and readers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading

Polygon = tuple[tuple[float, float], ...]


def box(x: float, y: float, width: float = 40.0, height: float = 10.0) -> Polygon:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def region(
    x: float, y: float, text: str = "A", *, width: float = 40.0, ignored: bool = False
) -> Region:
    return Region(polygon=box(x, y, width), text=text, ignored=ignored)


def reading(*lines: tuple[float, float, str]) -> PageReading:
    """Make a reading of (x, y, text)."""
    return PageReading(
        lines=tuple(PageLine(polygon=box(x, y), text=text, confidence=0.9) for x, y, text in lines),
        rotation=0,
        timings={},
    )


@dataclass(frozen=True)
class Page:
    """A labelled page."""

    id: str
    regions: Sequence[Region]
    image: str
    source: str = "labels.txt"
    group: str = ""


@dataclass
class ScriptedReader:
    """Answers by the number that `draw` hid in a page's first pixel."""

    name: str
    answer: Callable[[int], PageReading]

    def read(self, image: Image) -> PageReading:
        return self.answer(int(image[0, 0, 0]))


def draw(number: int) -> Image:
    page = np.full((400, 300, 3), 230, dtype=np.uint8)
    page[0, 0] = number
    return page


def label_pages(
    truths: Sequence[Sequence[Region]],
    *,
    groups: Sequence[str] = (),
    images: Sequence[str] = (),
) -> list[tuple[Page, Image]]:
    return [
        (
            Page(
                f"{number:064x}",
                regions,
                image=images[number] if images else f"{number}.jpg",
                group=groups[number] if groups else "",
            ),
            draw(number),
        )
        for number, regions in enumerate(truths)
    ]


def receipt(number: int) -> list[Region]:
    """Make a page of five labelled lines."""
    texts = [f"ITEM {number}", "TOTAL", f"{number}.50", "CASH", "THANK YOU COME AGAIN"]
    return [region(10, 20 + 40 * row, text) for row, text in enumerate(texts)]


def read_receipt(number: int, *, wrong: int = 0, missed: int = 0, invented: int = 0) -> PageReading:
    """Read such a page, the first lines wrong, the last missed, others where nothing is."""
    regions = receipt(number)[: 5 - missed]
    lines = [
        (*line.polygon[0], line.text + ("?" if row < wrong else ""))
        for row, line in enumerate(regions)
    ]
    return reading(*lines, *((200.0, 20.0 + 40 * row, "NOISE") for row in range(invented)))
