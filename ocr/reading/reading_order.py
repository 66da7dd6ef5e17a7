"""The order in which the lines of a page are read."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

LEVEL_ASPECT = 2.0
"""A box this much wider than high tells how skewed its page is."""

DOWNWARD_ASPECT = 1.5
"""A box this much higher than wide runs downwards, if it is no single narrow character…"""

DOWNWARD_LENGTHS = 3.0
"""… which is to say, longer than this many lines of the page are thick."""

ROW_OVERLAP = 0.5
"""Lines of one row share this much of the lower one's height."""

ROWS_BACK = 8
"""A line belongs to one of so many last rows, or begins its own."""

COLUMN_LINES = 3
"""A column of text has at least so many lines."""

COLUMN_ASPECT = 7.0
"""Half of a column's lines are this much wider than high: text, not the numbers of a table."""

COLUMN_FILL = 0.4
"""Half of a column's lines are at least this much of its width."""

COLUMNS_OVERLAP = 0.5
"""Columns beside each other share this much of the shorter one's height."""

SPANNING_SHARE = 0.25
"""Of lines in columns, at most this share runs across both."""

GUTTER_HEIGHTS = 1.0
"""The white between columns is at least this many lines wide."""


@dataclass(frozen=True)
class _Line:
    """A box of a page without skew."""

    index: int
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def aspect(self) -> float:
        return self.width / max(self.height, 1.0)

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def reading_order(boxes: NDArray[np.float32]) -> list[int]:
    """Return the indices of boxes as a person reads: rows from the top, each from the left.

    Columns of text beside each other are read one after the other; lines that run across them
    part what is above from what is below. The two columns of a receipt or a table, whose right
    one is narrow, are read row by row. A line that runs downwards comes before the row at its
    top; a page of nothing but such lines is read from the right. A skew of a few degrees is
    taken out first.

    Args:
        boxes: (N, 4, 2) corners in page pixels, clockwise from the top left.
    """
    lines = _level(boxes)
    level, downward = _part_downward(lines)
    if len(downward) > len(level):
        return [line.index for line in sorted(lines, key=_from_the_right)]
    ordered = _order_block(level)
    places = {line.index: (place, 1) for place, line in enumerate(ordered)}
    for line in downward:
        below = (place for place, other in enumerate(ordered) if other.middle > line.top)
        places[line.index] = (next(below, len(ordered)), 0)
    ordered = sorted(
        sorted(downward, key=_from_the_right) + ordered, key=lambda line: places[line.index]
    )
    return [line.index for line in ordered]


def _level(boxes: NDArray[np.float32]) -> list[_Line]:
    """Turn boxes by the skew of the page, the median over the widths of its long boxes."""
    skew = _find_skew(boxes)
    turn = np.array([[np.cos(skew), -np.sin(skew)], [np.sin(skew), np.cos(skew)]])
    turned = boxes.astype(np.float64) @ turn
    sides = np.concatenate([turned.min(axis=1), turned.max(axis=1)], axis=1)
    return [_Line(index, *side) for index, side in enumerate(sides.tolist())]


def _find_skew(boxes: NDArray[np.float32]) -> float:
    along = boxes[:, 1] - boxes[:, 0] + boxes[:, 2] - boxes[:, 3]
    across = boxes[:, 3] - boxes[:, 0] + boxes[:, 2] - boxes[:, 1]
    widths, heights = np.linalg.norm(along, axis=1), np.linalg.norm(across, axis=1)
    is_long = widths > LEVEL_ASPECT * heights
    if not is_long.any():
        return 0.0
    angles = np.arctan2(along[is_long, 1], along[is_long, 0])
    order = np.argsort(angles, kind="stable")
    weights = np.cumsum(widths[is_long][order])
    return float(angles[order][np.searchsorted(weights, weights[-1] / 2)])


def _part_downward(lines: Sequence[_Line]) -> tuple[list[_Line], list[_Line]]:
    """Return the lines that are level, and those that run downwards."""
    least_px = DOWNWARD_LENGTHS * median([min(line.width, line.height) for line in lines] or [0.0])
    level: list[_Line] = []
    downward: list[_Line] = []
    for line in lines:
        is_slim = line.height >= DOWNWARD_ASPECT * line.width
        (downward if is_slim and line.height > least_px else level).append(line)
    return level, downward


def _order_block(lines: Sequence[_Line]) -> list[_Line]:
    """Order level lines, column by column where there are columns."""
    gutter = _find_gutter(lines)
    if gutter is None:
        return [line for row in _find_rows(lines) for line in row]
    spanning = sorted((line for line in lines if _spans(line, gutter)), key=_from_the_top)
    rest = [line for line in lines if not _spans(line, gutter)]
    ordered: list[_Line] = []
    for spanner in spanning:
        above = [line for line in rest if _is_before(line, spanner)]
        rest = [line for line in rest if not _is_before(line, spanner)]
        ordered += [*_order_columns(above, gutter), spanner]
    return ordered + _order_columns(rest, gutter)


def _order_columns(lines: Sequence[_Line], gutter: float) -> list[_Line]:
    left = [line for line in lines if line.right <= gutter]
    right = [line for line in lines if line.right > gutter]
    return _order_block(left) + _order_block(right)


def _find_gutter(lines: Sequence[_Line]) -> float | None:
    """Return an x that parts two columns: few lines span it, and most white is left of it."""
    if len(lines) < 2 * COLUMN_LINES:
        return None
    lefts, rights = sorted(line.left for line in lines), sorted(line.right for line in lines)
    least_px = GUTTER_HEIGHTS * median(line.height for line in lines)
    found: list[tuple[int, float, float]] = []
    for gutter in dict.fromkeys(lefts):
        on_left, on_right = bisect_right(rights, gutter), len(lines) - bisect_left(lefts, gutter)
        spanning = len(lines) - on_left - on_right
        white_px = gutter - rights[on_left - 1] if on_left else 0.0
        if spanning <= SPANNING_SHARE * len(lines) and white_px >= least_px:
            found.append((spanning, -white_px, gutter))
    gutters = (gutter for _, _, gutter in sorted(found))
    return next((gutter for gutter in gutters if _parts_columns(lines, gutter)), None)


def _parts_columns(lines: Sequence[_Line], gutter: float) -> bool:
    left = [line for line in lines if line.right <= gutter]
    right = [line for line in lines if line.left >= gutter]
    return _is_column(left) and _is_column(right) and _stand_side_by_side(left, right)


def _is_column(lines: Sequence[_Line]) -> bool:
    if len(lines) < COLUMN_LINES:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    return (
        median(line.aspect for line in lines) >= COLUMN_ASPECT
        and median(line.width for line in lines) >= COLUMN_FILL * width
    )


def _stand_side_by_side(left: Sequence[_Line], right: Sequence[_Line]) -> bool:
    tops = [min(line.top for line in side) for side in (left, right)]
    bottoms = [max(line.bottom for line in side) for side in (left, right)]
    lower_px = min(bottom - top for top, bottom in zip(tops, bottoms, strict=True))
    return min(bottoms) - max(tops) >= COLUMNS_OVERLAP * lower_px


def _find_rows(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Return rows from the top, each from the left.

    A line is compared with the nearest of a row, so that a row may rise or sink on its way.
    """
    rows: list[list[_Line]] = []
    for line in sorted(lines, key=_from_the_top):
        shares = [_shared_height(line, row) for row in rows[-ROWS_BACK:]]
        if shares and max(shares) >= ROW_OVERLAP:
            rows[len(rows) - len(shares) + shares.index(max(shares))].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: (line.left, line.index)) for row in rows]


def _shared_height(line: _Line, row: Sequence[_Line]) -> float:
    """Return the share of the lower one's height that a line and its neighbour in a row share.

    Nothing is shared where one stands over the other.
    """
    nearest = min(row, key=lambda other: max(other.left - line.right, line.left - other.right))
    over_px = min(line.right, nearest.right) - max(line.left, nearest.left)
    if over_px > ROW_OVERLAP * min(line.width, nearest.width):
        return 0.0
    shared_px = min(line.bottom, nearest.bottom) - max(line.top, nearest.top)
    return shared_px / max(min(line.height, nearest.height), 1.0)


def _spans(line: _Line, gutter: float) -> bool:
    return line.left < gutter < line.right


def _is_before(line: _Line, spanner: _Line) -> bool:
    is_beside = spanner.top <= line.middle <= spanner.bottom
    return line.left < spanner.left if is_beside else line.middle < spanner.middle


def _from_the_top(line: _Line) -> tuple[float, float, int]:
    return (line.middle, line.left, line.index)


def _from_the_right(line: _Line) -> tuple[float, float, int]:
    return (-line.right, line.top, line.index)
