"""Whole pages: what is read where, in which order, and how a page must be turned for it."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.image.turning import Rotation
from ocr.reading.detection.boxes import Detections
from ocr.reading.detection.detector import Detector, OnnxDetector
from ocr.reading.page_reader import PageReader, ReadsPages
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from tests.toy_bundle import Lines, draw_page

LINES: Lines = {(32, 32): "ABC", (32, 96): "CAB", (160, 96): "BACA"}
TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


class Counting:
    """Counts what it is asked, and answers as the models it stands before do."""

    def __init__(self, detector: Detector, recogniser: Recogniser) -> None:
        self.name = "counting"
        self.pages = 0
        self.crops: list[int] = []
        self._detector = detector
        self._recogniser = recogniser

    def detect(self, image: Image) -> Detections:
        self.pages += 1
        return self._detector.detect(image)

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        self.crops.append(len(images))
        return self._recogniser.recognise(images)


class OnlyUpright:
    """Is sure of crops that begin with blue, and unsure of all others: as of text upside down."""

    def __init__(self, recogniser: Recogniser, *, sure: float = 0.95, unsure: float = 0.4) -> None:
        self.name = "only upright"
        self._recogniser = recogniser
        self._sure = sure
        self._unsure = unsure

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        return [
            Recognition(
                text=read.text,
                confidence=self._sure if read.text.startswith("A") else self._unsure,
                character_confidences=(),
            )
            for read in self._recogniser.recognise(images)
        ]


def turn(page: Image, rotation: int) -> Image:
    return np.asarray(cv2.rotate(page, TURNS[rotation])) if rotation else page


def test_lines_are_read_in_order_with_their_places(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    reading = PageReader(detector, recogniser).read(draw_page(LINES))

    assert [line.text for line in reading.lines] == ["ABC", "CAB", "BACA"]
    assert reading.rotation == 0
    assert all(line.confidence > 0.9 for line in reading.lines)
    corners = [(160, 96), (224, 96), (224, 112), (160, 112)]
    assert np.array(reading.lines[2].polygon) == pytest.approx(np.array(corners), abs=3)


def test_seconds_are_told_per_stage(detector: OnnxDetector, recogniser: OnnxRecogniser) -> None:
    reading = PageReader(detector, recogniser).read(draw_page(LINES))

    assert list(reading.timings) == ["detect_s", "crop_s", "recognise_s"]
    assert all(seconds > 0 for seconds in reading.timings.values())


def test_boxes_that_read_as_nothing_are_left_out(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    class Blind(Counting):
        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            first, *others = super().recognise(images)
            return [replace(first, text=" "), *others]

    reading = PageReader(detector, Blind(detector, recogniser)).read(draw_page(LINES))

    assert [line.text for line in reading.lines] == ["CAB", "BACA"]


def test_a_page_that_reads_well_is_looked_at_once(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    counting = Counting(detector, recogniser)

    PageReader(counting, counting).read(draw_page(LINES))

    assert counting.pages == 1
    assert counting.crops == [3]


@pytest.mark.parametrize(("contrast", "looks"), [(0, 1), (1, 1), (40, 5)])
def test_a_page_without_lines_is_turned_unless_it_is_blank(
    detector: OnnxDetector, recogniser: OnnxRecogniser, contrast: int, looks: int
) -> None:
    class Nothing(Counting):
        def detect(self, image: Image) -> Detections:
            return super().detect(np.zeros_like(image))

    counting = Nothing(detector, recogniser)
    page = np.full((200, 100, 3), 130, dtype=np.uint8)
    page[:100] += np.uint8(contrast)

    reading = PageReader(counting, counting).read(page)

    assert reading.lines == ()
    assert reading.rotation == 0
    assert counting.pages == looks


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_turned_page_is_read_turned_back(
    detector: OnnxDetector, recogniser: OnnxRecogniser, rotation: Rotation
) -> None:
    upright = draw_page({(32, 32): "ABC", (32, 96): "ACB", (160, 96): "AC"})
    reader = PageReader(detector, OnlyUpright(recogniser))

    reading = reader.read(turn(upright, (360 - rotation) % 360))

    assert reading.rotation == rotation
    assert [line.text for line in reading.lines] == ["ABC", "ACB", "AC"]
    assert ("turn_s" in reading.timings) == (rotation != 0)


def test_a_net_that_is_fairly_sure_of_text_upside_down_does_not_mislead(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    as_measured = OnlyUpright(recogniser, sure=0.97, unsure=0.86)
    page = draw_page({(32, 32): "ABC", (32, 96): "ACB", (160, 96): "AC"})

    readings = [PageReader(detector, as_measured).read(turn(page, angle)) for angle in (0, 180)]

    assert [reading.rotation for reading in readings] == [0, 180]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_polygons_lie_on_the_page_as_it_was_given(
    detector: OnnxDetector, recogniser: OnnxRecogniser, rotation: Rotation
) -> None:
    page = draw_page({(32, 32): "A", (160, 96): "B"})
    given = turn(page, (360 - rotation) % 360)

    reading = PageReader(detector, recogniser).read(given, rotation=rotation)

    assert [line.text for line in reading.lines] == ["A", "B"]
    for line, colour in zip(reading.lines, [(255, 0, 0), (0, 255, 0)], strict=True):
        mask = np.zeros(given.shape[:2], dtype=np.uint8)
        cv2.fillPoly(mask, [np.array(line.polygon, dtype=np.int32)], 1)
        inside = np.argwhere((given == colour).all(axis=2) & (mask == 1))
        assert len(inside) >= 200
        start = np.array(line.polygon[0])
        upright_start = np.array({"A": (32, 32), "B": (160, 96)}[line.text])
        expected = {
            0: upright_start,
            90: (upright_start[1], page.shape[1] - upright_start[0]),
            180: (page.shape[1] - upright_start[0], page.shape[0] - upright_start[1]),
            270: (page.shape[0] - upright_start[1], upright_start[0]),
        }
        assert start == pytest.approx(np.array(expected[rotation]), abs=3)


def test_a_page_that_reads_badly_at_every_turn_stays_as_it_lies(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    reader = PageReader(detector, OnlyUpright(recogniser))

    reading = reader.read(draw_page({(32, 32): "BCB", (32, 96): "CBC"}))

    assert reading.rotation == 0
    assert [line.text for line in reading.lines] == ["BCB", "CBC"]


def test_few_lines_are_tried_at_each_turn(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    counting = Counting(detector, OnlyUpright(recogniser))
    lines: Lines = {(16, 16 + 32 * row): "BC" for row in range(12)}

    PageReader(counting, counting).read(draw_page(lines, height_px=416))

    assert counting.pages == 5
    assert counting.crops == [12, 8, 8, 8, 8]


def test_a_given_angle_is_not_tried(detector: OnnxDetector, recogniser: OnnxRecogniser) -> None:
    counting = Counting(detector, OnlyUpright(recogniser))

    reading = PageReader(counting, counting).read(draw_page({(32, 32): "BCB"}), rotation=180)

    assert reading.rotation == 180
    assert counting.pages == 1


def test_a_reader_is_named_after_its_models_or_its_pipeline(
    detector: OnnxDetector, recogniser: OnnxRecogniser
) -> None:
    readers: list[ReadsPages] = [
        PageReader(detector, recogniser),
        PageReader(detector, recogniser, name="receipts:7"),
    ]

    assert [reader.name for reader in readers] == ["toy-detector:1 + toy:1", "receipts:7"]


def test_an_empty_page_is_refused(detector: OnnxDetector, recogniser: OnnxRecogniser) -> None:
    with pytest.raises(BadInput, match="Expected a page"):
        PageReader(detector, recogniser).read(np.zeros((0, 5, 3), dtype=np.uint8))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_words_stand_where_their_characters_are_however_the_page_lies(
    detector: OnnxDetector, recogniser: OnnxRecogniser, rotation: Rotation
) -> None:
    class Spacing(Counting):
        """Takes B for a space."""

        def recognise(self, images: Sequence[Image]) -> list[Recognition]:
            read = super().recognise(images)
            return [replace(line, text=line.text.replace("B", " ")) for line in read]

    back: Rotation = (360 - rotation) % 360  # type: ignore[assignment]
    reader = PageReader(detector, Spacing(detector, recogniser))
    page = turn(draw_page(LINES), back)

    lines = reader.read(page, rotation=rotation, words=True).lines

    assert [[word.text for word in line.words] for line in lines] == [["A", "C"], ["CA"], ["ACA"]]
    for line in lines:
        whole, parts = _area(line.polygon), [_area(word.polygon) for word in line.words]
        expected = [whole * len(word.text) / len(line.text) for word in line.words]
        assert parts == pytest.approx(expected, rel=0.2)
        assert line.words[0].polygon[0] == pytest.approx(line.polygon[0], abs=20)
    assert not any(line.words for line in reader.read(page, rotation=rotation).lines)


def _area(polygon: Sequence[tuple[float, float]]) -> float:
    return float(cv2.contourArea(np.array(polygon, np.float32)))
