"""Pages before their lines are parted: what is counted, and how they lie."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ocr.image.pixels import Image
from ocr.models.gap_model import BUCKETS, GapModel
from ocr.reading.detection.boxes import Detections
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.ocr.reading.cells import Cells
from tests.ocr.reading.test_page_reader import LINES, Counting, OnlyUpright
from tests.toy_bundle import draw_page


def test_lines_that_are_read_again_count_though_they_read_as_nothing(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    class Again(Counting):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            first, second, third = super().recognise(images)
            return [replace(first, text="", is_reread=True), replace(second, is_reread=True), third]

    reading = PageReader(detector, Again(detector, recogniser)).read(draw_page(LINES), rotation=0)

    assert len(reading.lines) == 2
    assert reading.reread == 2


def test_a_turn_at_which_nothing_but_spaces_is_read_does_not_win(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    class SpacesWhenTurned(OnlyUpright):
        asked = 0

        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            self.asked += 1
            read = [replace(text, confidence=0.4) for text in super().recognise(images)]
            spaces = [replace(text, text=" " * 20, confidence=0.99) for text in read]
            return read if self.asked <= 2 else spaces  # first the page, then a trial of each turn

    reading = PageReader(detector, SpacesWhenTurned(recogniser)).read(draw_page(LINES))

    assert reading.rotation == 0
    assert len(reading.lines) == 3


def test_how_a_page_lies_is_judged_before_its_lines_are_parted() -> None:
    page = draw_page({(32, 32): "A    B    C    A", (32, 112): "B    A    C    A"})
    rows = [[(32, y), (288, y), (288, y + 48), (32, y + 48)] for y in (16, 96)]

    class WholeRows:
        name = "whole rows"
        pages = 0

        def detect(self, image: Image) -> Detections:
            self.pages += 1
            boxes = np.array(rows, dtype=np.float32)
            return Detections(boxes, boxes, np.ones(2, dtype=np.float32))

    class FairlySure(Cells):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            return [replace(text, confidence=0.91) for text in super().recognise(images)]

    finder = WholeRows()
    everywhere = GapModel(np.ones(BUCKETS, dtype=np.float32), 0.5)

    reading = PageReader(finder, FairlySure(), gaps=everywhere).read(page)

    assert [line.text for line in reading.lines] == [*"ABCA", *"BACA"]  # each higher than wide
    assert finder.pages == 1


def test_lines_below_a_confidence_are_set_aside_and_none_is_lost(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    class UnsureOfTheSecond(Counting):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            read = zip(super().recognise(images), (0.71, 0.7, 0.72), strict=True)
            return [replace(text, confidence=confidence) for text, confidence in read]

    def read(min_confidence: float) -> tuple[list[str], list[str]]:
        unsure = UnsureOfTheSecond(detector, recogniser)
        reader = PageReader(detector, unsure, min_confidence=min_confidence)
        reading = reader.read(draw_page(LINES), rotation=0)
        return [line.text for line in reading.lines], [line.text for line in reading.set_aside]

    first, second, third = read(0.0)[0]
    assert read(0.7) == ([first, second, third], [])
    assert read(0.71) == ([first, third], [second])
    assert read(0.72) == ([third], [first, second])
    assert read(1.0) == ([], [first, second, third])
