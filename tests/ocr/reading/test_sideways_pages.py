"""Pages on their side whose lines a detector takes apart into characters, as Chinese ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.image.pixels import Image
from ocr.image.turning import BACK, ROTATIONS, Rotation, turn_image
from ocr.reading.detection.boxes import Detections
from ocr.reading.detection.detector import Detector, OnnxDetector
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from tests.toy_bundle import Lines, draw_page

LINES: Lines = {(32, 32): "ABC", (32, 96): "ACB", (160, 96): "ACAB"}


@dataclass
class TakesApart:
    """Finds lines that run up or down as their characters."""

    inner: Detector
    looks: int = 0
    name: str = "takes apart"

    def detect(self, image: Image) -> Detections:
        self.looks += 1
        found = self.inner.detect(image)
        return replace(
            found,
            boxes=np.concatenate([_apart(box) for box in found.boxes]),
            crop_boxes=np.concatenate([_apart(box) for box in found.crop_boxes]),
        )


def _apart(box: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the boxes (N, 4, 2) of as many characters as stand in one."""
    width_px, height_px = np.ptp(box, axis=0).tolist()
    shares = np.linspace(0, 1, max(1, round(height_px / width_px)) + 1)
    top, bottom = box[:2], box[[3, 2]]
    edges = [top + share * (bottom - top) for share in shares]
    parts = [np.concatenate([a, b[::-1]]) for a, b in pairwise(edges)]
    return np.array(parts, np.float32)


@dataclass
class SureOfCharacters:
    """Is sure of single characters however they lie, and of lines that begin with blue."""

    inner: Recogniser
    unsure: float = 0.6
    name: str = "sure of characters"

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        return [
            replace(read, confidence=0.98 if self._is_sure(read.text) else self.unsure)
            for read in self.inner.recognise(images)
        ]

    def _is_sure(self, text: str) -> bool:
        return len(text) == 1 or text.startswith("A")


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_lines_taken_apart_do_not_hide_that_a_page_lies_on_its_side(
    detector: OnnxDetector, recogniser: OnnxRecogniser, rotation: Rotation
) -> None:
    reader = PageReader(TakesApart(detector), SureOfCharacters(recogniser))

    reading = reader.read(turn_image(draw_page(LINES), BACK[rotation]))

    assert reading.rotation == rotation
    assert [line.text for line in reading.lines] == ["ABC", "ACB", "ACAB"]


def test_columns_that_read_surely_are_not_turned_to_longer_nonsense(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    rows: Lines = {(32, 16 + 32 * row): "BCBC" for row in range(8)}
    page = turn_image(draw_page(rows, height_px=288), 90)
    taking = TakesApart(detector)
    reader = PageReader(taking, SureOfCharacters(recogniser, unsure=0.8))

    reading = reader.read(page)

    assert (reading.rotation, taking.looks) == (0, 5)
    assert {len(line.text) for line in reading.lines} == {1}


def test_headers_that_run_up_do_not_turn_the_cells_below_them(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    rows: Lines = {(32, 16 + 32 * row): "ACAB" for row in range(8)}
    headers = turn_image(draw_page(rows, height_px=288), 270)
    cells = draw_page(
        {(16 + 32 * column, 16 + 32 * row): "B" for row in range(8) for column in range(4)},
        height_px=288,
    )
    width_px = max(headers.shape[1], cells.shape[1])
    page = np.concatenate([_widened(headers, width_px), _widened(cells, width_px)])
    reader = PageReader(TakesApart(detector), SureOfCharacters(recogniser))

    reading = reader.read(page)

    assert reading.rotation == 0
    assert sum(line.text == "B" for line in reading.lines) >= 32


def _widened(page: Image, width_px: int) -> Image:
    wider = ((0, 0), (0, width_px - page.shape[1]), (0, 0))
    return np.pad(page, wider, constant_values=255)
