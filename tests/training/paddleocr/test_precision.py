"""Mixed precision as PaddleOCR's YAML says it, on its own configs."""

from pathlib import Path
from typing import Any, Literal

import pytest

from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrRecogniserParams
from tests.paddleocr_tree import find_tree
from tests.training.paddleocr.changes import changes
from training.paddleocr.config import Config, JobFiles
from training.paddleocr.detection import config as detection
from training.paddleocr.recognition import config as recognition

FILES = JobFiles.of(Path("/job"))
Amp = Literal["off", "O1", "O2"]


@pytest.fixture(scope="module")
def tree() -> Path:
    return find_tree()


def make_recogniser(tree: Path, net: str, amp: Amp, **upstream: Any) -> Config:
    params = PaddleOcrRecogniserParams(net=net, amp=amp)
    config = recognition.read_upstream(tree, net)
    config["Global"] |= upstream
    return recognition.make_config(config, params, files=FILES, lines=100, gpu=True)


def make_detector(tree: Path, net: str, amp: Amp) -> Config:
    params = PaddleOcrDetectorParams(net=net, amp=amp)
    upstream = detection.read_upstream(tree, net)
    return detection.make_config(upstream, params, files=FILES, pages=100, gpu=True)


@pytest.mark.parametrize("amp", ["O1", "O2"])
@pytest.mark.parametrize("net", ["pp-ocrv5-mobile", "configs/rec/rec_mv3_none_none_ctc.yml"])
def test_a_recogniser_learns_in_float16_by_a_scaled_loss(tree: Path, net: str, amp: Amp) -> None:
    off, mixed = make_recogniser(tree, net, "off"), make_recogniser(tree, net, amp)

    assert changes(off, mixed) == {
        "Global.use_amp": True,
        "Global.amp_level": amp,
        "Global.amp_dtype": "float16",
        "Global.use_dynamic_loss_scaling": True,
        "Global.scale_loss": 1024.0,
    }


@pytest.mark.parametrize("amp", ["O1", "O2"])
def test_a_detector_learns_in_bfloat16(tree: Path, amp: Amp) -> None:
    net = "configs/det/det_mv3_db.yml"

    off, mixed = make_detector(tree, net, "off"), make_detector(tree, net, amp)

    assert changes(off, mixed) == {
        "Global.use_amp": True,
        "Global.amp_level": amp,
        "Global.amp_dtype": "bfloat16",
        "Global.use_dynamic_loss_scaling": False,
        "Global.scale_loss": 1.0,
    }


def test_a_config_of_mixed_precision_learns_without_it_unless_it_is_asked_for(tree: Path) -> None:
    config = make_recogniser(tree, "pp-ocrv4-mobile", "off", use_amp=True, amp_level="O2")

    assert config["Global"]["use_amp"] is False
