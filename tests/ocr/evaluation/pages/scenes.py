"""Made-up pages: regions, readings and readers, and what comes of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample
from ocr.evaluation.pages.evaluate import evaluate_pages, pair_pages
from ocr.evaluation.pages.report import PagesReport
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
) -> list[tuple[PageSample, Image]]:
    return [
        (
            PageSample(
                id=f"{number:064x}",
                split="test",
                width=300,
                height=400,
                regions=tuple(regions),
                source="labels.txt",
                group=groups[number] if groups else "",
                image=images[number] if images else f"{number}.jpg",
                shard="",
                offset=0,
                size=0,
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


def evaluate_scripted(
    *,
    candidate: ScriptedReader,
    samples: Iterable[tuple[PageSample, Image]],
    opponent: ScriptedReader | None = None,
    required_hmean: float | None = None,
    resamples: int = 200,
) -> PagesReport:
    pages = list(samples)
    ours = evaluate_pages(candidate, pages, resamples=resamples, seed=0)
    theirs = evaluate_pages(opponent, pages, resamples=resamples, seed=0) if opponent else None
    return pair_pages(ours, theirs, required_hmean=required_hmean)
