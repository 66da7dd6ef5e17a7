from dataclasses import replace
from pathlib import Path

from ocr.proposal.page import PageSource

PAGE = PageSource(Path("scan.pdf"), 1, 2, "0f" * 32, "0f")


def test_a_page_draws_the_same_lot_wherever_its_file_lies() -> None:
    assert PAGE.lot == replace(PAGE, path=Path("elsewhere/copy.pdf")).lot


def test_pages_of_one_file_draw_lots_of_their_own() -> None:
    assert PAGE.lot != replace(PAGE, number=2).lot


def test_lots_have_no_order_of_files_or_pages() -> None:
    pages = [replace(PAGE, number=number) for number in range(1, 1001)]

    drawn = sorted(pages, key=lambda page: page.lot)

    first_half = sum(page.number for page in drawn[:500])
    assert abs(first_half / 500 - 500.5) < 40  # 4 deviations of a mean of 500 drawn without return
    assert [page.number for page in drawn] != sorted(page.number for page in pages)
