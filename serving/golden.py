"""The last check before a version serves: it reads its golden images as it did at export."""

from pathlib import Path

from ocr.errors import ParityFailed
from ocr.image.pixels import decode_image
from ocr.models.golden_outputs import read_golden_outputs
from ocr.models.golden_pages import compare_page
from ocr.models.pipeline import read_golden_pages
from ocr.reading.page_reader import ReadsPages
from ocr.reading.recognition.recogniser import Recogniser

MAX_PIXELS = 50_000_000


def check_golden(recogniser: Recogniser, bundle: Path) -> None:
    """Read every golden image and compare the text.

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


def check_golden_pages(reader: ReadsPages, pipeline: Path) -> None:
    """Read every golden page and compare its lines.

    Raises:
        ParityFailed: A line differs.
        BadData: The pipeline has no golden pages, or they are not readable.
    """
    golden = read_golden_pages(pipeline)
    for page in golden:
        image = decode_image(page.image.read_bytes(), max_pixels=MAX_PIXELS)
        compare_page(page, reader.read(image).lines)
