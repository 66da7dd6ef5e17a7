"""The order of lines: rows, columns, skew, and lines that run downwards."""

import random
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.reading.reading_order import reading_order

Place = tuple[float, float, float, float]
"""Left, top, width, height."""


@dataclass(frozen=True)
class Layout:
    """Lines of a page, in the order in which they are read."""

    name: str
    places: tuple[Place, ...]


def rows(*tops: float, left: float = 40, width: float = 300) -> tuple[Place, ...]:
    return tuple((left, top, width, 20.0) for top in tops)


LEFT = rows(100, 130, 160, 190, left=40, width=300)
RIGHT = rows(100, 130, 160, 190, left=380, width=300)


def pairs(*tops: float, width: float, right: float) -> tuple[Place, ...]:
    """Lines side by side, row by row: the first from 40 on and so wide, the second from `right`."""
    return tuple(
        place for top in tops for place in ((40.0, top, width, 20.0), (right, top, 300.0, 20.0))
    )


LAYOUTS = [
    Layout("nothing", ()),
    Layout("one line", rows(10)),
    Layout("lines under each other", rows(10, 40, 70, 100)),
    Layout("words of two rows", ((10, 10, 50, 20), (80, 12, 50, 20), (10, 40, 90, 20))),
    Layout(
        "a row of tall and low words",
        ((10, 10, 50, 40), (80, 26, 50, 16), (140, 22, 30, 20), (10, 60, 90, 20)),
    ),
    Layout(
        "items and their prices",
        tuple(
            place
            for top in range(100, 400, 30)
            for place in ((40.0, top, 260.0, 20.0), (560.0, top + 2.0, 60.0, 20.0))
        ),
    ),
    Layout(
        "a price list of quantities, names and prices",
        tuple(
            place
            for top in range(100, 400, 30)
            for place in (
                (40.0, top, 20.0, 20.0),
                (100.0, top, 260.0, 20.0),
                (560.0, top, 60.0, 20.0),
            )
        ),
    ),
    Layout("two columns", LEFT + RIGHT),
    Layout("a short last line of a column", (*LEFT, (40, 220, 50, 20), *RIGHT)),
    Layout(
        "a title over two columns and a foot under them",
        ((60, 20, 600, 30), *LEFT, *RIGHT, (60, 260, 600, 20)),
    ),
    Layout(
        "two columns over a title over two columns",
        (
            *LEFT,
            *RIGHT,
            (60, 240, 600, 20),
            *rows(300, 330, 360, 390),
            *rows(300, 330, 360, 390, left=380),
        ),
    ),
    Layout("three columns", (*LEFT, *RIGHT, *rows(100, 130, 160, 190, left=720, width=300))),
    Layout(
        "columns that do not line up",
        (*rows(100, 130, 160, 190), *rows(113, 143, 173, 203, left=380)),
    ),
    Layout(
        "blocks below each other that share no height",
        (*rows(10, 40, 70, left=40), *rows(110, 140, 170, left=380)),
    ),
    Layout(
        "blocks that share less than half of their height",
        (
            *rows(10, 40, 70),
            *rows(85, left=380),
            *rows(100),
            *rows(115, 145, 175, left=380),
        ),
    ),
    Layout(
        "a name beside the title of two columns, a little lower",
        ((40, 30, 100, 20), (200, 20, 400, 30), *LEFT, *RIGHT),
    ),
    Layout("words of long lines", pairs(100, 130, 160, 190, width=330, right=380)),
    Layout(
        "short labels under a long line, and what is filled in",
        ((40, 70, 450, 20), *pairs(100, 130, 160, 190, width=150, right=520)),
    ),
    Layout(
        "cells over as many lines that run across",
        (
            *pairs(100, 130, 160, 190, width=300, right=380),
            *rows(230, 260, 290, 320, width=640),
        ),
    ),
    Layout("a line close over one that begins before it", ((60, 10, 300, 20), (40, 19, 300, 20))),
    Layout("text down the margin", (*rows(10), (5, 40, 20, 200), *rows(50, 80, 110))),
    Layout(
        "a page written downwards",
        ((200, 10, 20, 300), (160, 10, 20, 280), (120, 10, 20, 300), (90, 40, 18, 40)),
    ),
    Layout("single narrow digits are level", ((10, 10, 8, 20), (40, 10, 8, 20), (10, 40, 8, 20))),
]


def to_boxes(places: tuple[Place, ...], *, degrees: float = 0.0) -> NDArray[np.float32]:
    """Return boxes turned about the middle of a page of 720 by 480."""
    corners = [
        [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        for left, top, width, height in places
    ]
    boxes = np.array(corners, dtype=np.float32).reshape(-1, 4, 2)
    matrix = cv2.getRotationMatrix2D((360, 240), degrees, 1.0)
    return np.asarray(boxes @ matrix[:, :2].T + matrix[:, 2], dtype=np.float32)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("degrees", [0.0, 4.0, -4.0])
def test_lines_are_read_as_a_person_reads(layout: Layout, degrees: float) -> None:
    boxes = to_boxes(layout.places, degrees=degrees)

    assert reading_order(boxes) == list(range(len(boxes)))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_the_order_of_detection_changes_nothing(layout: Layout) -> None:
    boxes = to_boxes(layout.places, degrees=1.0)
    shuffled = list(range(len(boxes)))
    random.Random(layout.name).shuffle(shuffled)

    order = reading_order(boxes[shuffled])

    assert [shuffled[index] for index in order] == list(range(len(boxes)))


def test_rows_may_sink_more_than_their_height_across_the_page() -> None:
    words = [
        (float(x), 100 * row + 0.03 * x, 60.0, 20.0) for row in (1, 2) for x in range(0, 900, 90)
    ]
    boxes = to_boxes(tuple(words))

    assert reading_order(boxes) == list(range(20))


def test_equal_boxes_keep_their_order() -> None:
    boxes = to_boxes(rows(10, 10, 10))

    assert reading_order(boxes) == [0, 1, 2]


def test_a_thousand_boxes_are_all_ordered() -> None:
    rng = np.random.default_rng(0)
    places = rng.uniform((0, 0, 5, 5), (2000, 3000, 300, 40), (1000, 4)).tolist()

    order = reading_order(to_boxes(tuple(tuple(place) for place in places)))

    assert sorted(order) == list(range(1000))
