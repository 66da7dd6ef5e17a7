"""PaddleOCR's detection labels: `image<TAB>[{"transcription", "points"}, ...]`, a page a line.

The transcriptions `*` and `###` mean don't-care; PPOCRLabel adds `"difficult": true`, and writes
placeholders for texts that nobody read.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import UNREAD
from ocr.dataset.pages.labels.raw import (
    RawPage,
    RawPageLabel,
    RawRegion,
    read_points,
    read_region,
    read_text,
)
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.split import Split

_EXPECTED = 'expected image<TAB>[{"transcription": ..., "points": [[x, y], ...]}, ...]'


def parse_paddleocr_pages(
    lines: Iterable[str], *, name: str, split: Split | None
) -> Iterator[RawPage | Rejection]:
    """Parse the lines of a label file; blank lines are skipped, CRLF is read as LF.

    Args:
        lines: Those of the file, with their ends.
        name: Name of the file, for messages.
        split: Split its pages belong to; None where the preparation splits.
    """
    for number, line in enumerate(lines, start=1):
        row = line.removesuffix("\n").removesuffix("\r")
        if row.strip():
            yield _parse_row(row, where=f"{name}:{number}", name=name, split=split)


def _parse_row(row: str, *, where: str, name: str, split: Split | None) -> RawPage | Rejection:
    image, tab, written = row.partition("\t")
    image = image.strip()
    if not tab or not image:
        return Rejection("malformed_row", where, image, row[:80], _EXPECTED)
    try:
        regions = json.loads(written)
    except (ValueError, RecursionError) as error:
        return Rejection("malformed_row", where, image, written[:80], f"{error}; {_EXPECTED}")
    if not isinstance(regions, list):
        return Rejection("malformed_row", where, image, written[:80], _EXPECTED)
    label = RawPageLabel(tuple(map(_read_region, regions)))
    return Row(image, label, split, "", name, where)


def _read_region(written: object) -> RawRegion:
    if not isinstance(written, Mapping):
        return RawRegion((), "", fault=Fault("malformed_region", f"{written!r:.60} is no object"))
    region = read_region(
        read_points(written.get("points")),
        read_text(written.get("transcription")),
        ignored=written.get("difficult") is True,
    )
    if region.text in UNREAD:
        detail = f"{region.text!r} stands for a text that nobody read: no line is cut out"
        return region._replace(text="", text_fault=Fault("missing_text", detail))
    return region
