"""What a worker answers of a page."""

import base64
import json
import time
from typing import Any

from ocr.errors import BadData
from ocr.image.pixels import Image, encode_jpeg
from ocr.reading.annotation import annotate_page
from ocr.reading.page_reader import PageReader


def answer_page(
    reader: PageReader | None,
    image: Image,
    *,
    annotate: bool,
    render: bool,
    words: bool,
    min_confidence: float | None = None,
) -> bytes:
    """Read a (H, W, 3) BGR page; return its JSON.

    Args:
        reader: What reads it; None: the model reads lines only.
        image: The page.
        annotate: Whether to return it with its lines drawn on it.
        render: Whether to return it.
        words: Whether to tell where the words of its lines stand.
        min_confidence: Lines of less are set aside; None: of less than the model's own.

    Raises:
        BadData: The model reads no pages.
        BadInput: The page is empty.
    """
    if reader is None:
        raise BadData("The model reads lines, no pages")
    reading = reader.read(image, words=words, min_confidence=min_confidence)
    page: dict[str, Any] = {
        "width": image.shape[1],
        "height": image.shape[0],
        "rotation": reading.rotation,
        "lines": [line.to_json() for line in reading.lines],
        "reread": reading.reread,
        "set_aside": [line.to_json() for line in reading.set_aside],
    }
    timings = dict(reading.timings)
    if annotate:
        started = time.perf_counter()
        page["annotated"] = _jpeg(annotate_page(image, reading.lines))
        timings["annotate_s"] = time.perf_counter() - started
    if render:
        page["image"] = _jpeg(image)
    return json.dumps({**page, "timings": timings}).encode()


def _jpeg(image: Image) -> str:
    return base64.b64encode(encode_jpeg(image)).decode()
