"""PaddleOCR's recognition labels: `image<TAB>text`, or `image text`, one row a line."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import SPACES, UNREAD
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split

Delimiter = Literal["tab", "space"]
WITH_TABS = "expected image<TAB>text"
_DELIMITERS: dict[Delimiter, tuple[str, str]] = {
    "tab": ("\t", f"{WITH_TABS}; for image<SPACE>text set dataset.delimiter=space"),
    "space": (" ", "expected image<SPACE>text; for image<TAB>text set dataset.delimiter=tab"),
}
"""What stands between image and text, and what is said where it does not."""
_REGIONS = re.compile(r'\[ *{ *"(transcription|points)"')
OF_PAGES = "regions of a page: a preset of pages reads them, such as receipts"


def parse_paddleocr(
    lines: Iterable[str], *, name: str, split: Split | None, delimiter: Delimiter = "tab"
) -> Iterator[LineRow | Rejection]:
    """Parse the lines of a label file; blank lines are skipped, CRLF is read as LF.

    A JSON list of images (`["a.jpg", "b.jpg"]<TAB>text`), from which PaddleOCR draws one at
    random, becomes one row per image.

    Args:
        lines: Those of the file, with their ends.
        name: Name of the file, for messages.
        split: Split its rows belong to; None where the preparation splits.
        delimiter: The first one separates the image from the text, which may hold more spaces.
    """
    separator, expected = _DELIMITERS[delimiter]
    for number, line in enumerate(lines, start=1):
        row = line.removesuffix("\n").removesuffix("\r")
        if not row.strip():
            continue
        where = f"{name}:{number}"
        image, separated, text = row.partition(separator)
        text = text.strip(SPACES)
        if not separated or not image.strip() or "\t" in image:
            yield Rejection("malformed_row", where, image.strip(), text or row, expected)
        elif "\t" in text:
            yield Rejection("tab_in_text", where, image, text, f"{text.count(chr(9))} extra tabs")
        elif _REGIONS.match(text):
            yield Rejection("malformed_row", where, image, text[:80], OF_PAGES)
        elif text in UNREAD:
            detail = f"{text!r} stands for a text that nobody read"
            yield Rejection("missing_text", where, image.strip(), text, detail)
        elif image.startswith("["):
            yield from _parse_image_list(image, text, split=split, name=name, where=where)
        else:
            yield Row(image.strip(), LineLabel(text), split, "", name, where)


def _parse_image_list(
    image: str, text: str, *, split: Split | None, name: str, where: str
) -> Iterator[LineRow | Rejection]:
    try:
        images = json.loads(image)
    except (ValueError, RecursionError):  # a file whose name starts with "["
        images = [image]
    is_list = isinstance(images, list) and all(isinstance(each, str) for each in images)
    if not is_list or not images:
        yield Rejection("malformed_row", where, image, text, "expected a list of image paths")
        return
    for each in images:
        yield Row(each, LineLabel(text), split, "", name, where)
