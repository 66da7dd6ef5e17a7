"""Gaps of labelled pages: which are told, and whether a line ends at them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.gaps.examples import find_examples
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from tests.ocr.evaluation.pages.gaps.columns import GAP_CELLS, ROWS, draw_rows, label_rows
from tests.ocr.reading.cells import Cells


def examples(
    rows: Sequence[tuple[str, str]], regions: Sequence[Region] | None = None
) -> list[tuple[str, str, bool]]:
    labelled = label_rows(rows) if regions is None else regions
    found = find_examples(draw_rows(rows), labelled, Cells())
    assert all(one.gap.heights == pytest.approx(GAP_CELLS, abs=0.6) for one in found)
    return sorted((one.gap.left, one.gap.right, one.ends) for one in found)


def test_a_line_ends_between_neighbours_and_nowhere_else() -> None:
    assert examples(ROWS) == [
        ("AB", "CA", True),
        ("ACB", "CB", True),
        ("BA", "AC", False),
        ("CAC", "BA", False),
    ]


def test_a_neighbour_is_on_the_right_in_the_same_row_and_near() -> None:
    below = [("A", "B"), ("C", "A")]

    assert examples(below) == [("A", "B", False), ("C", "A", False)]
    assert examples([("A", " " * 8 + "B")], [*label_rows([("AB", "CA")])][:1]) == []


def test_what_nobody_transcribed_tells_nothing() -> None:
    left, right = label_rows([("AB", "CA")])

    assert examples([("AB", "CA")], [left, replace(right, text="")]) == []
    assert examples([("AB", "CA")], [left, replace(right, ignored=True)]) == []
    assert examples([("AB", "CA")], []) == []


def test_two_lines_that_are_read_without_a_gap_tell_nothing() -> None:
    class Blind(Cells):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            return [Recognition("ABCA", 0.9, (0.9,) * 4, (0.1, 0.2, 0.7, 0.9)) for _ in images]

    page = draw_rows([("AB", "CA")])

    assert find_examples(page, label_rows([("AB", "CA")]), Blind()) == []
