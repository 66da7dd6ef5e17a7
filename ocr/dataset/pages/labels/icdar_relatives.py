"""Formats like ICDAR 2015's that have more before the text, which would be learnt as a part of it.

The name of a script (MLT, https://rrc.cvc.uab.es/?ch=15&com=tasks), whether it is hard to read
(RCTW-17), or further corners.
"""

import re
from collections.abc import Iterable, Iterator

from ocr.dataset.pages.labels.icdar2015 import EXPECTED
from ocr.dataset.pages.labels.raw import RawPage, RawRegion
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData

_FIELD = re.compile(
    r"(?:Arabic|Latin|Chinese|Japanese|Korean|Bangla|Hindi|Symbols|Mixed|None),\S|[01],\""
)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_CORNER = re.compile(f"{_NUMBER},{_NUMBER},")
_FARTHEST_SIDES = 2
"""From the fourth corner to a fifth; what says two numbers says no place beside its own."""
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+")
_LEAST_TEXTS = 10


def refuse_relatives(pages: Iterable[RawPage | Rejection]) -> Iterator[RawPage | Rejection]:
    """Pass on the pages of a folder, in which not every text may begin as one of another format.

    Raises:
        BadData: Every text does, once the pages are out.
    """
    first, alike, is_own = "", 0, False
    for page in pages:
        regions = () if isinstance(page, Rejection) else page.label.regions
        for number, region in enumerate(regions, start=1):
            if is_own or not region.text:
                continue
            is_own = not _is_of_relative(region)
            alike += 1
            first = first or f"{page.where} region {number}: the text is {region.text!r:.60}"
        yield page
    if alike >= _LEAST_TEXTS and not is_own:
        raise BadData(
            f"{first}, and all others begin so, as of another format; {EXPECTED}: take out the "
            "script or mark before it, or write polygons of more corners as PaddleOCR's or COCO's"
        )


def _is_of_relative(region: RawRegion) -> bool:
    if _FIELD.match(region.text):
        return True
    corner = _CORNER.match(region.text)
    if not corner or _AMOUNT.fullmatch(region.text):
        return False
    across, down = zip(*region.points, strict=True)
    most: float = _FARTHEST_SIDES * max(max(across) - min(across), max(down) - min(down))
    x, y = region.points[-1]
    return max(abs(float(corner[1]) - x), abs(float(corner[2]) - y)) <= most
