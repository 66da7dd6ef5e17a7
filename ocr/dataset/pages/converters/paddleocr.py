"""Pages to PaddleOCR's detection labels, which PPOCRLabel opens too."""

import json
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

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
        yield to_row(image, page)


def to_row(
    image: str, page: LabelledPage, *, classes: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Write one row of a label file.

    Args:
        image: The path that the file is to name the image by.
        page: The page.
        classes: What PPOCRLabel shows and keeps of a region when started with ``--kie True``, by
            its number from 1; else it drops them. The others are of class "None".
    """
    entries = [_entry(region) for region in page.regions]
    for number, name in classes.items():
        entries[number - 1]["key_cls"] = name
    return f"{image}\t{json.dumps(entries, ensure_ascii=False)}\n"


def _entry(region: Region) -> dict[str, object]:
    return {
        "transcription": DONT_CARE if region.ignored else region.text,
        "points": [[_short(x), _short(y)] for x, y in region.polygon],
        "difficult": region.ignored,
    }


def _short(value: float) -> float:
    return int(value) if value == int(value) else value
