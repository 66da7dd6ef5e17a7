"""Whether a page is read as its pipeline promised."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from ocr.errors import ParityFailed
from ocr.models.page_line import PageLine
from ocr.models.pipeline import GoldenPage

TOLERANCE_PX: Final = 1.0


def compare_page(golden: GoldenPage, found: Sequence[PageLine]) -> None:
    """Compare the lines of a page with the golden ones: order, texts, corners within a pixel.

    Raises:
        ParityFailed: They differ; the message names the first difference.
    """
    name = f"golden page {golden.image.name}"
    if len(found) != len(golden.lines):
        raise ParityFailed(f"{name} was promised {len(golden.lines)} lines, read were {len(found)}")
    for number, (promised, read) in enumerate(zip(golden.lines, found, strict=True), 1):
        if read.text != promised.text:
            message = f"was promised reading {promised.text!r}, here it reads {read.text!r}"
            raise ParityFailed(f"{name}, line {number} {message}")
        distance_px = _furthest_px(promised, read)
        if distance_px > TOLERANCE_PX:
            message = f"lies {distance_px:.1f} px from where it was promised"
            raise ParityFailed(f"{name}, line {number} ({read.text!r}) {message}")


def _furthest_px(promised: PageLine, read: PageLine) -> float:
    corners = zip(
        chain.from_iterable(promised.polygon), chain.from_iterable(read.polygon), strict=True
    )
    return max(abs(there - here) for there, here in corners)
