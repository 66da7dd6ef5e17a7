"""What 8 bits cost and save in finding lines: both find on the same pages, in turns."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.int8 import Int8Price
from ocr.evaluation.pages.int8 import weigh_int8_pages
from ocr.image.pixels import Image
from ocr.reading.detection.boxes import Detections
from tests.ocr.evaluation.lines.timed_reader import Clock
from tests.ocr.evaluation.pages.scenes import Polygon, box, label_pages, region

TRUTHS = [[region(0, 50 * line) for line in range(5)]] * 2
ALL = [box(0, 50 * line) for line in range(5)]


class Finder:
    """Finds boxes by the number that `draw` hid in a page's first pixel."""

    name = "finder"

    def __init__(self, clock: Clock, found: Sequence[Sequence[Polygon]], *, page_s: float) -> None:
        self._clock = clock
        self._found = found
        self._page_s = page_s

    def detect(self, image: Image) -> Detections:
        self._clock.now_s += self._page_s
        boxes = np.array(self._found[int(image[0, 0, 0])], dtype=np.float32).reshape(-1, 4, 2)
        return Detections(boxes=boxes, crop_boxes=boxes, scores=np.ones(len(boxes), np.float32))


def weigh(
    found: Sequence[Sequence[Polygon]],
    *,
    truths: Sequence[Sequence[Region]] = TRUTHS,
    page_s: float = 0.5,
) -> Int8Price | None:
    """Weigh a detector that finds everything beside one in 8 bits that finds these."""
    snapshot = cast(PageSnapshot, SimpleNamespace(images=lambda _: label_pages(truths)))
    clock = Clock()
    float32 = Finder(clock, [ALL, ALL], page_s=1.0)
    return weigh_int8_pages(float32, Finder(clock, found, page_s=page_s), snapshot, clock=clock)


def test_what_finds_the_same_in_half_the_time_pays() -> None:
    price = weigh([ALL, ALL])

    assert price is not None
    assert (price.change.opponent, price.change.change, price.alike) == (1.0, 0.0, 1.0)
    assert price.time == pytest.approx(0.5)
    assert price.pays


def test_lines_that_are_lost_and_boxes_that_are_invented_are_its_price() -> None:
    price = weigh([ALL[1:], [*ALL, box(100, 100)]])

    assert price is not None
    assert price.change.candidate == pytest.approx(2 * 9 / (10 + 10))
    assert (price.change.gained, price.change.lost) == (0, 1)
    assert price.alike == pytest.approx(9 / 10)
    assert not price.pays


def test_what_saves_little_does_not_pay() -> None:
    price = weigh([ALL, ALL], page_s=0.95)

    assert price is not None
    assert not price.pays


def test_pages_without_text_have_no_price() -> None:
    assert weigh([[], []], truths=[[], []]) is None
