"""A detector and a recogniser of coloured cells."""

from pathlib import Path

import pytest

from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.toy_bundle import write_toy_bundle, write_toy_detection_bundle


@pytest.fixture
def detector(tmp_path: Path) -> OnnxDetector:
    return OnnxDetector.load(write_toy_detection_bundle(tmp_path / "detector"))


@pytest.fixture
def recogniser(tmp_path: Path) -> OnnxRecogniser:
    return OnnxRecogniser.load(write_toy_bundle(tmp_path / "recogniser"))
