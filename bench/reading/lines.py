"""The labelled test lines of a dataset, and what a detector finds of them on the test pages."""

from collections.abc import Iterator
from dataclasses import dataclass

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSample, PageSnapshot
from ocr.evaluation.pages.matching import match_page
from ocr.image.cropping import crop_line
from ocr.image.pixels import Image
from ocr.reading.detection.detector import Detector


@dataclass(frozen=True)
class Line:
    """A line to read.

    Attributes:
        text: What it reads.
        group: The document it belongs to; empty: none.
        image: (H, W, 3) BGR.
    """

    text: str
    group: str
    image: Image


def list_lines(snapshot: LineSnapshot) -> list[Line]:
    """Return the test lines of a snapshot, as they were labelled."""
    return [Line(line.text, line.group, image) for line, image in snapshot.images("test")]


def find_lines(detector: Detector, pages: PageSnapshot) -> list[Line]:
    """Return the lines of the test pages that a detector finds, cut out where it sees them.

    A box is the line that an evaluation pairs it with; what is missed or invented is left out, as
    no recogniser can help it.
    """
    return [
        Line(text, page.group or page.id, crop)
        for page, image in pages.images("test")
        for text, crop in _find(detector, page, image)
    ]


def _find(detector: Detector, page: PageSample, image: Image) -> Iterator[tuple[str, Image]]:
    found = detector.detect(image)
    for region, box in match_page(page.regions, found.boxes).pairs:
        if text := page.regions[region].text:
            yield text, crop_line(image, found.crop_boxes[box]).copy()  # which keeps no page
