import numpy as np
import pytest

from ocr.synthesis.fonts import find_fonts
from ocr.synthesis.glyphs import can_fill_cells, draw_glyph, fill_cell

AILERON = find_fonts([], system_folders=[])[0]


@pytest.mark.parametrize("stroke", [0, 2])
def test_a_glyph_is_cut_to_its_ink(stroke: int) -> None:
    glyph = draw_glyph(AILERON, "8", size_px=36, stroke_px=stroke)

    assert glyph.ink.any(axis=0).all()
    assert glyph.ink.any(axis=1).all()
    assert glyph.top_px + glyph.ink.shape[0] == pytest.approx(stroke, abs=1)
    assert glyph.left_px + glyph.ink.shape[1] <= glyph.advance_px + stroke


def test_a_space_has_no_ink_and_moves_the_pen() -> None:
    glyph = draw_glyph(AILERON, " ", size_px=36)

    assert not glyph.ink.size
    assert glyph.advance_px > 4


@pytest.mark.parametrize(
    ("character", "height", "width"), [("8", 44, 22), ("I", 44, 6), (".", 8, 7), ("-", 4, 12)]
)
def test_digits_fill_their_cell_narrow_ones_and_points_do_not(
    character: str, height: int, width: int
) -> None:
    cell = np.zeros((44, 22), np.uint8)

    fill_cell(cell, character, font=AILERON, stroke_px=0)

    rows, columns = np.flatnonzero(cell.any(axis=1)), np.flatnonzero(cell.any(axis=0))
    assert len(rows) == pytest.approx(height, abs=1)
    assert len(columns) == pytest.approx(width, abs=1)
    assert columns[0] + columns[-1] == pytest.approx(21, abs=2)


@pytest.mark.parametrize(
    ("text", "filling"), [("皖AB-12", True), ("ABC 1.2", True), ("Abc", False), ("A/B", False)]
)
def test_only_what_keeps_its_meaning_at_one_size_fills_cells(text: str, filling: bool) -> None:
    assert can_fill_cells(text) is filling
