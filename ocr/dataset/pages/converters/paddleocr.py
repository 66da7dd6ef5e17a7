"""Pages to PaddleOCR's detection labels, which PPOCRLabel opens too."""

import json
from collections.abc import Iterable

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample

DONT_CARE = "###"


def to_paddleocr(pages: Iterable[tuple[str, PageSample]]) -> str:
    """Write a label file; ignored regions are don't-care to PaddleOCR and difficult to PPOCRLabel.

    The text of an ignored region is lost: PaddleOCR would learn it.

    Args:
        pages: The pages, each with the path that the file is to name its image by.
    """
    rows = (
        f"{image}\t{json.dumps(list(map(_entry, page.regions)), ensure_ascii=False)}\n"
        for image, page in pages
    )
    return "".join(rows)


def _entry(region: Region) -> dict[str, object]:
    return {
        "transcription": DONT_CARE if region.ignored else region.text,
        "points": [[_short(x), _short(y)] for x, y in region.polygon],
        "difficult": region.ignored,
    }


def _short(value: float) -> float:
    return int(value) if value == int(value) else value
