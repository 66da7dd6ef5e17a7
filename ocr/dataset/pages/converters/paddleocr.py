"""Pages to PaddleOCR's detection labels, which PPOCRLabel opens too."""

import json
from collections.abc import Iterable, Iterator

from ocr.dataset.pages.converters.page import LabelledPage
from ocr.dataset.pages.region import Region

DONT_CARE = "###"


def to_paddleocr(pages: Iterable[tuple[str, LabelledPage]]) -> Iterator[str]:
    """Write a label file, row by row.

    Ignored regions are don't-care to PaddleOCR and difficult to PPOCRLabel. Their text is lost:
    PaddleOCR would learn it.

    Args:
        pages: The pages, each with the path that the file is to name its image by.
    """
    for image, page in pages:
        yield f"{image}\t{json.dumps(list(map(_entry, page.regions)), ensure_ascii=False)}\n"


def _entry(region: Region) -> dict[str, object]:
    return {
        "transcription": DONT_CARE if region.ignored else region.text,
        "points": [[_short(x), _short(y)] for x, y in region.polygon],
        "difficult": region.ignored,
    }


def _short(value: float) -> float:
    return int(value) if value == int(value) else value
