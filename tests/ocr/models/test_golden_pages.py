from pathlib import Path

import pytest

from ocr.errors import ParityFailed
from ocr.models.golden_pages import compare_page
from ocr.models.page_line import PageLine
from ocr.models.pipeline import GoldenPage


def line(text: str = "TOTAL", *, moved_px: float = 0) -> PageLine:
    corners = ((10, 10), (60, 10), (60, 20), (10, 20))
    return PageLine(polygon=tuple((x, y + moved_px) for x, y in corners), text=text, confidence=0.9)


PAGE = GoldenPage(image=Path("000.png"), lines=(line(), line("12.50", moved_px=30)))


def test_same_lines_within_a_pixel_agree() -> None:
    compare_page(PAGE, [line(moved_px=1), line("12.50", moved_px=29.2)])


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([line()], "was promised 2 lines, read were 1"),
        ([line(), line("12,50", moved_px=30)], "line 2 was promised reading '12.50'"),
        ([line("12.50", moved_px=30), line()], "line 1 was promised reading 'TOTAL'"),
        ([line(), line("12.50", moved_px=31.5)], r"line 2 \('12.50'\) lies 1.5 px from"),
    ],
)
def test_first_difference_is_named(found: list[PageLine], message: str) -> None:
    with pytest.raises(ParityFailed, match=f"golden page 000.png.* {message}"):
        compare_page(PAGE, found)
