"""Checkpoints of detectors: what is saved is what is loaded, and damage is named."""

from pathlib import Path

import numpy as np
import pytest

from ocr.errors import BadData
from ocr.models.detector_spec import PageSpec
from tests.training.detection.toy_detector import RULE, save_toy_detector, toy_weights
from training.detection.checkpoint import build_net, load_detector
from training.detection.net import DetectorNetSpec
from training.loop.checkpoint import read_weights


def test_a_loaded_detector_is_the_saved_one(tmp_path: Path) -> None:
    folder = save_toy_detector(tmp_path / "checkpoint")

    net, spec, rule = load_detector(folder)

    assert (spec, rule) == (DetectorNetSpec(PageSpec(320), "small"), RULE)
    assert not net.training
    expected = toy_weights(build_net(spec))
    assert np.array_equal(read_weights(net)["head.weight"], expected["head.weight"])


@pytest.mark.parametrize("damaged", ["boxes.json", "net.json", "model.npz"])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, damaged: str) -> None:
    folder = save_toy_detector(tmp_path / "checkpoint")
    (folder / damaged).write_bytes(b"PK")

    with pytest.raises(BadData, match="is no usable checkpoint"):
        load_detector(folder)


@pytest.mark.parametrize("net", ['"net": "gpt"', '"size": "huge"', '"sise": "small"'])
def test_a_checkpoint_of_another_net_is_refused(tmp_path: Path, net: str) -> None:
    folder = save_toy_detector(tmp_path / "checkpoint")
    (folder / "net.json").write_text(f'{{"input": {{"long_side_px": 320}}, {net}}}')

    with pytest.raises(BadData, match="is no usable checkpoint"):
        load_detector(folder)


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    folder = save_toy_detector(tmp_path / "checkpoint")
    (folder / "net.json").write_text('{"input": {"long_side_px": 320}, "size": "base"}')

    with pytest.raises(BadData, match="belongs to another charset or size"):
        load_detector(folder)
