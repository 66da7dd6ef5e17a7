"""The last check before a version serves: it reads its golden images as it did at export."""

from pathlib import Path

from ocr.errors import ParityFailed
from ocr.golden_outputs import read_golden_outputs
from ocr.golden_pages import compare_page
from ocr.image import decode_image
from ocr.page_reader import ReadsPages
from ocr.pipeline import GoldenLine, read_golden_pages
from ocr.recogniser import Recogniser

MAX_PIXELS = 50_000_000


def check_golden(recogniser: Recogniser, bundle: Path) -> int:
    """Read every golden image and compare the text; return how many there were.

    Raises:
        ParityFailed: A text differs.
        BadData: The bundle has no golden images, or they are not readable.
    """
    golden = read_golden_outputs(bundle)
    images = [decode_image(one.image.read_bytes(), max_pixels=MAX_PIXELS) for one in golden]
    for one, answer in zip(golden, recogniser.recognise(images), strict=True):
        if answer.text != one.text:
            raise ParityFailed(
                f"golden image {one.image.name} was exported reading {one.text!r}, "
                f"here it reads {answer.text!r}"
            )
    return len(golden)


def check_golden_pages(reader: ReadsPages, pipeline: Path) -> int:
    """Read every golden page and compare its lines; return how many pages there were.

    Raises:
        ParityFailed: A line differs.
        BadData: The pipeline has no golden pages, or they are not readable.
    """
    golden = read_golden_pages(pipeline)
    for page in golden:
        reading = reader.read(decode_image(page.image.read_bytes(), max_pixels=MAX_PIXELS))
        found = [
            GoldenLine(polygon=line.polygon, text=line.text, confidence=line.confidence)
            for line in reading.lines
        ]
        compare_page(page, found)
    return len(golden)
