"""A form in 8 bits gets into the bundle if it pays on the validation split, and then serves."""

import json
from collections.abc import Callable
from functools import partial
from itertools import accumulate, cycle
from pathlib import Path

import numpy as np
import onnx
import pytest

import training.detection.export
import training.recognition.export
from configs.jobs import ExportJob
from ocr.evaluation.lines.int8 import weigh_int8_lines
from ocr.evaluation.pages.int8 import weigh_int8_pages
from ocr.models.bundle import (
    INT8_MODEL,
    ONNX_MODEL,
    ModelManifest,
    read_detector_bundle,
    read_recogniser_bundle,
)
from ocr.models.golden import read_golden_inputs
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import Store
from tests.training.export.line_store import line_store
from tests.training.export.page_store import page_store
from training.export.export import export_model

Make = Callable[[Path], tuple[Store, ExportJob]]
MAKE: dict[str, Make] = {"lines": partial(line_store, layout="line"), "pages": page_store}
READ: dict[str, Callable[[Path], ModelManifest]] = {
    "lines": read_recogniser_bundle,
    "pages": read_detector_bundle,
}


def clock_of(*, float32_s: float, int8_s: float) -> Callable[[], float]:
    """A clock by which the first reader of two takes so long, and the second so."""
    readings = accumulate(cycle((0.0, float32_s, 0.0, int8_s)))
    return lambda: next(readings)


def export(
    kind: str, root: Path, monkeypatch: pytest.MonkeyPatch, *, int8_s: float, wanted: bool = True
) -> Path:
    """Export in float32, which takes a second, and in 8 bits."""
    clock = clock_of(float32_s=1.0, int8_s=int8_s)
    for module, name, weigh in (
        (training.recognition.export, "weigh_int8_lines", weigh_int8_lines),
        (training.detection.export, "weigh_int8_pages", weigh_int8_pages),
    ):
        monkeypatch.setattr(module, name, partial(weigh, clock=clock))
    _, job = MAKE[kind](root)
    (root / "job").mkdir()
    result = export_model(job.model_copy(update={"int8": wanted}), root / "job")
    return root / "job" / result.bundle


@pytest.fixture(scope="module")
def paid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A bundle of each kind whose form in 8 bits takes half the time."""
    with pytest.MonkeyPatch.context() as patch:
        return {
            kind: export(kind, tmp_path_factory.mktemp(kind), patch, int8_s=0.5) for kind in MAKE
        }


@pytest.mark.parametrize("kind", MAKE)
def test_what_pays_is_a_file_of_the_bundle_and_serves(kind: str, paid: dict[str, Path]) -> None:
    bundle = paid[kind]

    manifest = READ[kind](bundle)
    assert manifest.served_form == INT8_MODEL
    assert (bundle / INT8_MODEL).stat().st_size < (bundle / ONNX_MODEL).stat().st_size
    assert manifest.metrics["int8_time"] == pytest.approx(0.5)
    assert 0.5 < manifest.metrics["int8_alike"] <= 1
    assert manifest.metrics["int8_change_lower"] < manifest.metrics["int8_change"] + 1e-9
    assert manifest.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    assert "ocrline reads with `onnx/int8.onnx`" in (bundle / "card.md").read_text("utf-8")


@pytest.mark.parametrize("kind", MAKE)
def test_what_a_convolution_gives_is_rounded_once_with_its_relu(
    kind: str, paid: dict[str, Path]
) -> None:
    nodes = onnx.load(str(paid[kind] / INT8_MODEL)).graph.node

    makers = {name: node.op_type for node in nodes for name in node.output}
    before_relus = {makers[node.input[0]] for node in nodes if node.op_type == "Relu"}
    assert before_relus <= {"Conv", "Add"}  # the first convolution's, and those of residuals
    assert any(
        node.op_type == "QuantizeLinear" and makers[node.input[0]] == "Conv" for node in nodes
    )


def test_the_map_is_doubled_in_float32(paid: dict[str, Path]) -> None:
    graph = onnx.load(str(paid["pages"] / INT8_MODEL)).graph

    *_, doubling = graph.node
    after_sigmoid = [node.op_type for node in graph.node[-5:]]
    assert after_sigmoid == ["Sigmoid", "Unsqueeze", "Pad", "Squeeze", "ConvTranspose"]
    (kernel,) = (each for each in graph.initializer if each.name == doubling.input[1])
    shares = onnx.numpy_helper.to_array(kernel)[0, 0]
    assert shares[1].tolist() == [0.1875, 0.5625, 0.5625, 0.1875]


@pytest.mark.parametrize("kind", MAKE)
def test_what_saves_no_time_is_left_out_and_the_card_says_so(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = export(kind, tmp_path, monkeypatch, int8_s=0.95)

    manifest = READ[kind](bundle)
    assert manifest.served_form == ONNX_MODEL
    assert not (bundle / INT8_MODEL).exists()
    assert manifest.metrics["int8_time"] == pytest.approx(0.95)
    assert "A form in 8 bits was left out" in (bundle / "card.md").read_text("utf-8")


@pytest.mark.parametrize("kind", MAKE)
def test_none_is_made_when_it_is_not_wanted(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = export(kind, tmp_path, monkeypatch, int8_s=0.5, wanted=False)

    assert not (bundle / INT8_MODEL).exists()
    assert "int8_time" not in READ[kind](bundle).metrics
    assert "8 bits" not in (bundle / "card.md").read_text("utf-8")


def test_golden_texts_are_those_in_8_bits_beside_what_the_other_forms_read(
    paid: dict[str, Path],
) -> None:
    bundle = paid["lines"]
    images = list(read_golden_inputs(bundle))
    outputs = json.loads((bundle / "golden/outputs.json").read_bytes())["images"]

    served, plain = (
        OnnxRecogniser.load(bundle, plain=plain).recognise(images) for plain in (False, True)
    )

    assert [one["text"] for one in outputs] == [line.text for line in served]
    assert [one["confidence"] for one in outputs] == pytest.approx(
        [line.confidence for line in served], abs=1e-3
    )
    assert [one["greedy"] for one in outputs] == [line.text for line in plain]
    assert any(
        abs(one.confidence - other.confidence) > 1e-4
        for one, other in zip(served, plain, strict=True)
    ), "two forms that answer alike to the last digit prove nothing"


def test_golden_boxes_are_those_in_8_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = export("pages", tmp_path, monkeypatch, int8_s=0.5)
    outputs = json.loads((bundle / "golden/outputs.json").read_bytes())["images"]
    served, plain = (OnnxDetector.load(bundle, plain=plain) for plain in (False, True))

    for image, golden in zip(read_golden_inputs(bundle), outputs, strict=True):
        np.testing.assert_array_equal(served.detect(image).boxes, np.float32(golden["boxes"]))
        assert not np.array_equal(served.probabilities(image), plain.probabilities(image))
