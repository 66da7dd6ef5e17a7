"""Agreement of boxes: the same number, in the same places, in any order."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.reading.detection.agreement import compare_boxes


def boxes(*corners: tuple[int, int, int, int]) -> NDArray[np.float32]:
    """Rectangles (left, top, right, bottom)."""
    found = [[[a, b], [c, b], [c, d], [a, d]] for a, b, c, d in corners]
    return np.array(found, dtype=np.float32).reshape(-1, 4, 2)


SMALL, LARGE = (10, 10, 60, 30), (10, 100, 1010, 400)


@pytest.mark.parametrize(
    "found",
    [
        boxes(SMALL, LARGE),
        boxes(LARGE, SMALL),
        boxes((10, 11, 62, 30), LARGE),
        boxes(SMALL, (10, 100, 1013, 400)),
        np.roll(boxes(SMALL, LARGE), 1, axis=1),
    ],
    ids=["equal", "other order", "a pixel of the map", "a hundredth of the area", "other corner"],
)
def test_boxes_in_the_same_places_agree(found: NDArray[np.float32]) -> None:
    assert compare_boxes(found, boxes(SMALL, LARGE)) == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (boxes(SMALL), "finds 1 boxes instead of 2"),
        (boxes((10, 13, 60, 30), LARGE), "finds the box at (10, 10) 3.0 px apart, IoU 0.850"),
        (boxes(SMALL, (10, 104, 1010, 400)), "finds the box at (10, 100) 4.0 px apart, IoU 0.987"),
        (boxes(SMALL, SMALL), "finds the box at (10, 100) "),
        (boxes((10, 13, 60, 13), LARGE), "IoU 0.000"),
    ],
    ids=["missing", "small moved", "large moved", "twice the same", "no area"],
)
def test_other_boxes_are_told(found: NDArray[np.float32], said: str) -> None:
    assert said in compare_boxes(found, boxes(SMALL, LARGE))


def test_no_boxes_agree_with_no_boxes() -> None:
    assert compare_boxes(boxes(), boxes()) == ""
