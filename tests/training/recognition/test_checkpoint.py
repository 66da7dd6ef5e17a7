"""Checkpoints of recognisers: what is saved is what is loaded, and damage is named."""

import json
from pathlib import Path

import numpy as np
import paddle
import pytest

from ocr.errors import BadData
from ocr.models.recogniser_spec import LineSpec
from training.loop.checkpoint import read_weights
from training.recognition.checkpoint import load_recogniser, save_recogniser
from training.recognition.net import RecogniserNetSpec, build_recogniser_net

SPEC = RecogniserNetSpec(LineSpec("fixed", 32, 64), "small", False, ("0", "皖", " "))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    paddle.seed(1)
    save_recogniser(tmp_path, weights=read_weights(build_recogniser_net(SPEC)), spec=SPEC)
    return tmp_path


def test_a_loaded_net_is_the_saved_one(folder: Path) -> None:
    paddle.seed(1)
    expected = read_weights(build_recogniser_net(SPEC))

    net, spec = load_recogniser(folder)

    assert spec == SPEC
    assert not net.training
    assert all(np.array_equal(value, expected[name]) for name, value in read_weights(net).items())


def test_the_input_of_a_checkpoint_of_an_earlier_version_is_as_it_was(folder: Path) -> None:
    content = json.loads((folder / "net.json").read_text(encoding="utf-8"))
    content["input"] = {"layout": "fixed", "height_px": 32, "width_px": 64}
    (folder / "net.json").write_text(json.dumps(content), encoding="utf-8")

    assert load_recogniser(folder)[1] == SPEC


def test_weights_of_another_charset_are_refused(folder: Path) -> None:
    text = (folder / "net.json").read_text(encoding="utf-8").replace('"0",', '"0",\n"1",')
    (folder / "net.json").write_text(text, encoding="utf-8")

    with pytest.raises(BadData, match=r"head\.bias has shape \[4\], the net expects \[5\]"):
        load_recogniser(folder)


def test_weights_that_unpack_to_more_than_their_file_are_refused(folder: Path) -> None:
    np.savez_compressed(folder / "model.npz", bias=np.zeros(2**20, np.float32))

    with pytest.raises(
        BadData, match=r"model\.npz is no usable checkpoint: it unpacks to 4194\d{3} bytes"
    ):
        load_recogniser(folder)


@pytest.mark.parametrize("name", ["net.json", "model.npz"])
@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_damaged_checkpoint_is_named(folder: Path, name: str, damage: str) -> None:
    path = folder / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:100])

    with pytest.raises(BadData, match=str(folder)):
        load_recogniser(folder)
