"""PaddleOCR's recognition labels: `image<TAB>text`, one row a line."""

import json
from collections.abc import Iterable, Iterator

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import SPACES
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split


def parse_paddleocr(
    lines: Iterable[str], *, name: str, split: Split | None
) -> Iterator[LineRow | Rejection]:
    """Parse the lines of a label file; blank lines are skipped, CRLF is read as LF.

    A JSON list of images (`["a.jpg", "b.jpg"]<TAB>text`), from which PaddleOCR draws one at
    random, becomes one row per image.

    Args:
        lines: Those of the file, with their ends.
        name: Name of the file, for messages.
        split: Split its rows belong to; None where the preparation splits.
    """
    for number, line in enumerate(lines, start=1):
        row = line.removesuffix("\n").removesuffix("\r")
        if not row.strip():
            continue
        where = f"{name}:{number}"
        image, tab, text = row.partition("\t")
        text = text.strip(SPACES)
        if not tab or not image.strip():
            expected = "expected image<TAB>text"
            yield Rejection("malformed_row", where, image.strip(), text or row, expected)
        elif "\t" in text:
            yield Rejection("tab_in_text", where, image, text, f"{text.count(chr(9))} extra tabs")
        elif image.startswith("["):
            yield from _parse_image_list(image, text, split=split, name=name, where=where)
        else:
            yield Row(image.strip(), LineLabel(text), split, "", name, where)


def _parse_image_list(
    image: str, text: str, *, split: Split | None, name: str, where: str
) -> Iterator[LineRow | Rejection]:
    try:
        images = json.loads(image)
    except ValueError:  # a file whose name starts with "["
        images = [image]
    if not isinstance(images, list) or not all(isinstance(each, str) for each in images):
        yield Rejection("malformed_row", where, image, text, "expected a list of image paths")
        return
    for each in images:
        yield Row(each, LineLabel(text), split, "", name, where)
