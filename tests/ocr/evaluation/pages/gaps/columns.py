"""Pages of two columns, drawn in the toy's font: labels part B from C, and nothing else."""

from collections.abc import Sequence

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample
from ocr.image.pixels import Image
from tests.toy_bundle import CELL_PX, HEIGHT_PX, draw_page

GAP_CELLS = 2
ROWS = (("AB", "CA"), ("ACB", "CB"), ("BA", "AC"), ("CAC", "BA"))
"""Texts with a gap between them: the first two rows are two lines, the others one."""

STEP_PX = 2 * HEIGHT_PX


def draw_rows(rows: Sequence[tuple[str, str]]) -> Image:
    """Draw rows of two texts with a gap between them."""
    texts = {(32, 16 + STEP_PX * n): (" " * GAP_CELLS).join(row) for n, row in enumerate(rows)}
    return draw_page(texts, height_px=32 + STEP_PX * len(rows))


def label_rows(rows: Sequence[tuple[str, str]]) -> tuple[Region, ...]:
    """Label them: one line, but two where the gap stands between B and C."""
    found: list[Region] = []
    for n, (left, right) in enumerate(rows):
        top = 16 + STEP_PX * n
        if left.endswith("B") and right.startswith("C"):
            found.append(_region(left, 32, top, len(left)))
            found.append(_region(right, 32 + CELL_PX * (len(left) + GAP_CELLS), top, len(right)))
        else:
            cells = len(left) + GAP_CELLS + len(right)
            found.append(_region(f"{left} {right}", 32, top, cells))
    return tuple(found)


def sample(rows: Sequence[tuple[str, str]], *, image: str, group: str = "") -> PageSample:
    """Return the sample of such a page; its image is nowhere."""
    return PageSample(
        regions=label_rows(rows),
        id="",
        split="val",
        width=0,
        height=0,
        source="",
        group=group,
        image=image,
        shard="",
        offset=0,
        size=0,
    )


def _region(text: str, left: int, top: int, cells: int) -> Region:
    return Region(tuple(_corners(left, top, cells)), text)


def _corners(left: int, top: int, cells: int) -> list[tuple[float, float]]:
    right, bottom = left + CELL_PX * cells, top + HEIGHT_PX
    return [(left, top), (right, top), (right, bottom), (left, bottom)]
