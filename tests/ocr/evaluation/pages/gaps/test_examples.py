"""Gaps of labelled pages: which are told, and whether a line ends at them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.gaps.examples import join_lines, read_examples
from ocr.image.pixels import Image
from ocr.models.page_line import Polygon
from ocr.reading.recognition.ctc import Recognition
from tests.ocr.evaluation.pages.gaps.columns import GAP_CELLS, ROWS, draw_rows, label_rows
from tests.ocr.reading.cells import Cells


def examples(
    rows: Sequence[tuple[str, str]],
    regions: Sequence[Region] | None = None,
    *,
    heights: float = GAP_CELLS - 2 * 0.25,
) -> list[tuple[str, str, bool]]:
    labelled = label_rows(rows) if regions is None else regions
    found = list(read_examples(draw_rows(rows), join_lines(labelled), Cells()))
    assert all(one.gap.heights == pytest.approx(heights, abs=0.05) for one in found)
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
    found = examples(below, heights=GAP_CELLS + 2 * (0.5 - 0.45))  # lone ones are taken for narrow

    assert found == [("A", "B", False), ("C", "A", False)]
    assert examples([("A", " " * 8 + "B")], [*label_rows([("AB", "CA")])][:1]) == []


def test_what_nobody_transcribed_tells_nothing() -> None:
    left, right = label_rows([("AB", "CA")])

    assert examples([("AB", "CA")], [left, replace(right, text="")]) == []
    assert examples([("AB", "CA")], [left, replace(right, ignored=True)]) == []
    assert examples([("AB", "CA")], []) == []


@pytest.mark.parametrize("kind", ["silent", "ignored", "high"])
def test_what_stands_between_two_lines_parts_them(kind: str) -> None:
    left, right = label_rows([("AB", "CA")])
    (x, y), height = left.polygon[2], 3 if kind == "high" else 1
    between = Region(
        ((x + 4, y - 16 * height), (x + 20, y - 16 * height), (x + 20, y), (x + 4, y)),
        "" if kind == "silent" else "B",
        ignored=kind == "ignored",
    )

    assert [line.middle is None for line in join_lines([left, right])] == [False]
    assert all(line.middle is None for line in join_lines([left, between, right]))


@pytest.mark.parametrize("degrees", [-25, -10, 10, 25])
def test_neighbours_of_a_slanted_page_are_those_of_the_level_one(degrees: float) -> None:
    turn = np.deg2rad(degrees)
    matrix = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    level = label_rows(ROWS)
    slanted = [replace(r, polygon=_turned(r.polygon, matrix)) for r in level]

    for expected, found in zip(join_lines(level), join_lines(slanted), strict=True):
        assert (expected.middle is None) == (found.middle is None)
        if expected.middle is not None:
            assert found.middle is not None
            x, y = np.array((expected.middle.real, expected.middle.imag)) @ matrix
            assert found.middle == pytest.approx(complex(x, y))
            assert found.apart_px == pytest.approx(expected.apart_px)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_of_pages_that_do_not_lie_upright_nothing_is_learnt(degrees: float) -> None:
    turn = np.deg2rad(degrees)
    matrix = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])

    assert (
        join_lines([replace(r, polygon=_turned(r.polygon, matrix)) for r in label_rows(ROWS)]) == []
    )


def test_crops_are_read_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocr.evaluation.pages.gaps.examples.CROP_BYTES", 1)
    asked: list[int] = []

    class Counting(Cells):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            asked.append(len(images))
            return super().recognise(images)

    found = list(read_examples(draw_rows(ROWS), join_lines(label_rows(ROWS)), Counting()))

    assert (len(found), asked) == (4, [1, 1, 1, 1])


def _turned(polygon: Polygon, matrix: np.ndarray) -> Polygon:
    return tuple((float(x), float(y)) for x, y in np.array(polygon) @ matrix)


def test_two_lines_that_are_read_without_a_gap_tell_nothing() -> None:
    class Blind(Cells):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            return [Recognition("ABCA", 0.9, (0.9,) * 4, (0.1, 0.2, 0.7, 0.9)) for _ in images]

    page = draw_rows([("AB", "CA")])

    lines = join_lines(label_rows([("AB", "CA")]))

    assert list(read_examples(page, lines, Blind())) == []
