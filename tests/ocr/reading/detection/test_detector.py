"""The ONNX detector: where it finds lines, threads, and what it refuses to load."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ocr.errors import BadData, BadInput
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.detection.detector import OnnxDetector
from tests.toy_bundle import (
    PAGE,
    PAGES,
    RULE,
    draw_page,
    toy_model,
    write_toy_bundle,
    write_toy_detection_bundle,
)


@pytest.fixture
def detector(tmp_path: Path) -> OnnxDetector:
    return OnnxDetector.load(write_toy_detection_bundle(tmp_path, name="toy", version="3"))


def test_lines_are_found_in_pixels_of_the_page(detector: OnnxDetector) -> None:
    page = draw_page({(32, 32): "ABC", (160, 96): "B"})
    enlarged = page.repeat(4, axis=0).repeat(4, axis=1)

    found = detector.detect(enlarged)

    # The order is that of the contours, from below.
    tops = found.boxes[:, 0].tolist()
    assert tops[0] == pytest.approx([640, 384], abs=8)
    assert tops[1] == pytest.approx([128, 128], abs=8)
    assert found.boxes[1, 2].tolist() == pytest.approx([320, 192], abs=8)
    assert found.scores.tolist() == pytest.approx([1, 1], abs=0.1)


def test_a_page_without_lines_has_no_boxes(detector: OnnxDetector) -> None:
    assert len(detector.detect(np.zeros((50, 2000, 3), dtype=np.uint8)).boxes) == 0


def test_the_map_is_as_large_as_the_input(detector: OnnxDetector) -> None:
    probabilities = detector.probabilities(draw_page(PAGES[0], width_px=641, height_px=480))

    assert probabilities.shape == (224, 320)


def test_the_name_tells_model_and_version(detector: OnnxDetector) -> None:
    assert detector.name == "toy:3"


def test_one_detector_serves_many_threads(detector: OnnxDetector) -> None:
    pages = [draw_page(lines, width_px=320 + 32 * (n % 3)) for n, lines in enumerate(PAGES * 20)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(detector.detect, pages))

    assert [len(one.boxes) for one in found] == [len(lines) for lines in PAGES * 20]


def test_an_empty_page_is_refused(detector: OnnxDetector) -> None:
    with pytest.raises(BadInput, match="Expected a page"):
        detector.detect(np.zeros((0, 0, 3), dtype=np.uint8))


def test_a_recogniser_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="bundle for recognition, expected one for detection"):
        OnnxDetector.load(write_toy_bundle(tmp_path))


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (b"", "no usable ONNX model"),
        (toy_model(LineSpec(layout="line", height_px=16, width_px=64)), "expected x of"),
    ],
)
def test_what_is_no_detector_is_refused(model: bytes, problem: str) -> None:
    with pytest.raises(BadData, match=problem):
        OnnxDetector(model, spec=PAGE, rule=RULE, name="broken")
