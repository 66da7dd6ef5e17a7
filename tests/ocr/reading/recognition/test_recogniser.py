"""The ONNX recogniser: order, batches, threads, and what it refuses to load."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from ocr.errors import BadData, BadInput
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.toy_bundle import CHARACTERS, draw, toy_model, write_toy_bundle

TEXTS = ["A", "BA", "C B", "AABBCC", "CAB" * 30, "", "B"]
LINE = LineSpec(layout="line", height_px=16, width_px=64)
SEEN = LineSpec("line", 16, 32, frame_px=8, width_multiple_px=8, padding="seen")


@pytest.fixture
def recogniser(tmp_path: Path) -> OnnxRecogniser:
    return OnnxRecogniser.load(write_toy_bundle(tmp_path, name="toy", version="3"))


def as_read(text: str) -> str:
    """Equal neighbours without a gap merge."""
    kept = [c for i, c in enumerate(text) if i == 0 or text[i - 1] != c]
    return "".join(kept).replace(" ", "")


def test_images_of_any_width_are_read_in_their_order(recogniser: OnnxRecogniser) -> None:
    found = recogniser.recognise([draw(text or " ") for text in TEXTS])

    assert [recognition.text for recognition in found] == [as_read(text) for text in TEXTS]
    assert found[0].confidence > 0.9
    assert found[5].confidence == 0.0


def test_the_name_tells_model_and_version(recogniser: OnnxRecogniser) -> None:
    assert recogniser.name == "toy:3"


def test_no_images_give_no_texts(recogniser: OnnxRecogniser) -> None:
    assert recogniser.recognise([]) == []


@pytest.mark.parametrize("layout", ["fixed", "line"])
def test_company_changes_no_answer(tmp_path: Path, layout: Literal["fixed", "line"]) -> None:
    recogniser = OnnxRecogniser.load(write_toy_bundle(tmp_path, layout=layout))
    images = [draw(text or " ") for text in TEXTS]

    together = recogniser.probabilities(images)
    alone = [recogniser.probabilities([image])[0] for image in images]

    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_one_recogniser_serves_many_threads(recogniser: OnnxRecogniser) -> None:
    def read(number: int) -> list[str]:
        texts = [TEXTS[(number + i) % len(TEXTS)] or " " for i in range(1 + number % 3)]
        found = recogniser.recognise([draw(text) for text in texts])
        return [text for text, one in zip(texts, found, strict=True) if one.text != as_read(text)]

    with ThreadPoolExecutor(8) as pool:
        wrong = [text for texts in pool.map(read, range(200)) for text in texts]

    assert wrong == []


def test_an_image_is_read_alike_in_company_by_a_net_that_sees_padding() -> None:
    recogniser = OnnxRecogniser(seeing_model(), charset=Charset(("A", "B")), spec=SEEN, name="toy")
    images = [draw(text) for text in ("A", "BAC", "BAB", "AABBCC", "CAB" * 30)]
    images += [draw("CAB")[:, :-5], draw("CAB")[:, :-2]]

    together = recogniser.probabilities(images)
    alone = [recogniser.probabilities([image])[0] for image in images]

    assert [len(frames) for frames in alone] == [4, 6, 6, 12, 180, 6, 6]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_damaged_bundle_is_not_loaded(tmp_path: Path) -> None:
    bundle = write_toy_bundle(tmp_path)
    (bundle / "charset.txt").write_text("A\nB\nD\n", encoding="utf-8")

    with pytest.raises(BadData, match=r"charset\.txt is damaged"):
        OnnxRecogniser.load(bundle)


@pytest.mark.parametrize("model", [b"", b"junk" * 100, b"\x80\x04\x95"])
def test_what_is_no_onnx_model_is_refused(model: bytes) -> None:
    with pytest.raises(BadData, match="toy has no usable ONNX model"):
        OnnxRecogniser(model, charset=Charset(CHARACTERS), spec=LINE, name="toy")


def test_a_charset_of_another_model_is_refused() -> None:
    with pytest.raises(BadData, match="expected 3 classes"):
        OnnxRecogniser(toy_model(LINE), charset=Charset(("A", "B")), spec=LINE, name="toy")


@pytest.mark.parametrize(
    "other",
    [
        LineSpec(layout="line", height_px=32, width_px=64),
        LineSpec(layout="fixed", height_px=16, width_px=64),
    ],
)
def test_an_input_of_another_model_is_refused(other: LineSpec) -> None:
    with pytest.raises(BadData, match="expected x of"):
        OnnxRecogniser(toy_model(LINE), charset=Charset(CHARACTERS), spec=other, name="toy")


def test_an_empty_image_is_refused(recogniser: OnnxRecogniser) -> None:
    with pytest.raises(BadInput, match="Expected an image"):
        recogniser.recognise([np.zeros((0, 4, 3), dtype=np.uint8)])


def seeing_model() -> bytes:
    """A net of 8 columns a frame whose every answer is moved by all columns, padding too."""
    nodes = [
        helper.make_node("AveragePool", ["x"], ["f"], kernel_shape=[16, 8], strides=[16, 8]),
        helper.make_node("ReduceMean", ["f"], ["whole"], axes=[2, 3], keepdims=1),
        helper.make_node("Mul", ["f", "whole"], ["moved"]),
        helper.make_node("Squeeze", ["moved", "axis"], ["flat"]),
        helper.make_node("Transpose", ["flat"], ["frames"], perm=[0, 2, 1]),
        helper.make_node("Softmax", ["frames"], ["probabilities"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "seeing",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 16, "W"])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", "T", 3])],
        [numpy_helper.from_array(np.array([2], dtype=np.int64), "axis")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return bytes(model.SerializeToString())
