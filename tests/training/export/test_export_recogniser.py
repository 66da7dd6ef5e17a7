"""Exports of recognisers: every form reads as the checkpoint does, or there is no bundle."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
import onnx.numpy_helper
import pytest
import yaml

import training.export.export
from configs.jobs import ExportRecogniserJob, ExportResult
from ocr.errors import ArtifactNotFound, BadData, ParityFailed
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import read_recogniser_bundle
from ocr.models.golden import read_golden_inputs
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.training.export.card_code import odd_lines, read_by_card
from tests.training.export.line_store import CHARACTERS, blotches, line_store, varied_weights
from tests.training.export.stock import needs_paddleocr, run_stock
from training.export.export import export_model
from training.export.legacy import LegacyExport, LegacyExportFailed
from training.forms.onnx import export_onnx
from training.forms.paddle import export_paddle, load_predictor, read_config
from training.forms.parity import LARGEST_DIFFERENCE, ParityProof, Reading
from training.forms.trained_net import TrainedNet
from training.recognition.export import (
    LineReader,
    RecogniserExport,
    inference_config,
    input_shape,
    load_recogniser_export,
)
from training.recognition.net import RecogniserNetSpec, build_recogniser_net

FORMS = {"paddle", "paddle-onednn", "onnx", "serving"}


@dataclass(frozen=True)
class Exported:
    """What one export of this file's fixture left."""

    layout: Literal["fixed", "line"]
    job: ExportRecogniserJob
    folder: Path
    result: ExportResult

    @property
    def bundle(self) -> Path:
        return self.folder / self.result.bundle

    def images(self) -> list[Image]:
        return list(read_golden_inputs(self.bundle))

    def read(self, paddle_folder: Path | None = None) -> Reading[Recognition]:
        folder = paddle_folder or self.bundle / "paddle"
        reader = self.model.stock_reader(read_config(folder))
        return reader.decode(reader.infer(load_predictor(folder, onednn=False), self.images()))

    @property
    def model(self) -> RecogniserExport:
        return load_recogniser_export(self.folder / "checkpoint")


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export(tmp_path_factory.mktemp("fixed"), layout="fixed")


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export(tmp_path_factory.mktemp("line"), layout="line")


@pytest.fixture(params=["fixed", "line"])
def exported(request: pytest.FixtureRequest) -> Exported:
    found: Exported = request.getfixturevalue(request.param)
    return found


def export(root: Path, *, layout: Literal["fixed", "line"]) -> Exported:
    _, job = line_store(root, layout=layout)
    (root / "job").mkdir()
    return Exported(layout, job, root / "job", export_model(job, root / "job"))


def test_every_form_reads_as_the_checkpoint(exported: Exported) -> None:
    assert exported.result.parity.keys() == FORMS
    assert max(exported.result.parity.values()) < LARGEST_DIFFERENCE
    assert read_recogniser_bundle(exported.bundle).parity == exported.result.parity


def test_the_golden_images_tell_forms_apart(exported: Exported) -> None:
    texts = {output.text for output in exported.read().outputs}

    assert len(texts) >= 8
    assert any(" " in text for text in texts) or any("'" in text for text in texts)


def test_the_manifest_tells_the_lineage(exported: Exported) -> None:
    manifest = read_recogniser_bundle(exported.bundle)

    assert (manifest.name, manifest.version, manifest.parent) == ("toy", "v1", "")
    assert manifest.code_commit == "c0ffee"
    assert manifest.checkpoint == exported.job.checkpoint
    assert manifest.dataset_digest == exported.job.snapshot.rpartition("/")[2]
    assert manifest.parameters == {"epochs": 3, "note": "a|b"}
    assert manifest.input == LineSpec(exported.layout, 32, 128)


def test_golden_outputs_are_what_the_bundle_reads(exported: Exported) -> None:
    recogniser = OnnxRecogniser.load(exported.bundle)
    outputs = json.loads((exported.bundle / "golden/outputs.json").read_bytes())["images"]

    found = recogniser.recognise(exported.images())

    assert len(outputs) == 12
    assert [one.text for one in found] == [output["text"] for output in outputs]
    assert [one.confidence for one in found] == pytest.approx(
        [output["confidence"] for output in outputs], abs=1e-3
    )


def test_the_card_says_how_to_load_it(exported: Exported) -> None:
    card = (exported.bundle / "card.md").read_text(encoding="utf-8")

    assert ("input_shape=(3, 32, 128)" in card) == (exported.layout == "fixed")
    assert "| paddle-onednn |" in card
    assert r"| note | a\|b |" in card
    assert "16 train, 16 val, 16 test" in card
    assert "code that trained it | c0ffee" in card
    assert "` ' 0 1 A ~ 沪 皖 ` and the space" in card


def test_the_program_on_the_card_reads_as_the_checkpoint(
    exported: Exported, tmp_path: Path
) -> None:
    lines = odd_lines()

    found = read_by_card(exported.bundle, lines, folder=tmp_path)

    read = OnnxRecogniser.load(exported.bundle, plain=True).recognise(lines)
    assert found == [one.text for one in read]
    assert len(set(found)) > 8


def test_the_charset_keeps_its_order_through_yaml(exported: Exported) -> None:
    text = (exported.bundle / "paddle/inference.yml").read_text(encoding="utf-8")

    assert yaml.safe_load(text)["PostProcess"]["character_dict"] == list(CHARACTERS)


def test_the_serving_config_names_the_tensors_for_clients(exported: Exported) -> None:
    texts = {path.read_text() for path in (exported.bundle / "serving").glob("*.prototxt")}

    assert len(texts) == 1
    assert 'alias_name: "probabilities"' in texts.pop()


def test_no_form_is_a_pickle(exported: Exported) -> None:
    for path in exported.bundle.rglob("*"):
        assert path.is_dir() or not path.read_bytes().startswith(b"\x80"), path


def test_perturbed_weights_are_refused_and_the_image_is_saved(
    fixed: Exported, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def export_and_perturb(paddle_folder: Path, path: Path, *, dimensions: str) -> None:
        export_onnx(paddle_folder, path, dimensions=dimensions)
        perturb(path)

    monkeypatch.setattr(training.export.export, "export_onnx", export_and_perturb)
    shutil.copytree(fixed.bundle, tmp_path / "bundle")  # of an earlier run
    (tmp_path / "bundle-part").mkdir()

    with pytest.raises(ParityFailed, match=r"onnx .* in golden image \d+; probabilities differ by"):
        export_model(fixed.job, tmp_path)

    assert len(list((tmp_path / "parity").glob("onnx-*.png"))) == 1
    assert not (tmp_path / "bundle").exists()


@pytest.mark.parametrize("wrong", ["colours", "characters"])
def test_a_wrong_inference_yml_is_refused(exported: Exported, tmp_path: Path, wrong: str) -> None:
    folder = shutil.copytree(exported.bundle / "paddle", tmp_path / "paddle")
    config = yaml.safe_load((folder / "inference.yml").read_text(encoding="utf-8"))
    if wrong == "colours":
        config["PreProcess"]["transform_ops"][0]["DecodeImage"]["img_mode"] = "RGB"
    else:
        config["PostProcess"]["character_dict"].reverse()
    (folder / "inference.yml").write_text(yaml.safe_dump(config), encoding="utf-8")

    proof = ParityProof(
        exported.read(), exported.images(), tmp_path / "parity", compare=exported.model.compare
    )

    with pytest.raises(ParityFailed, match="paddle reads"):
        proof.check("paddle", exported.read(folder))


def test_a_missing_checkpoint_is_named(exported: Exported, tmp_path: Path) -> None:
    job = exported.job.model_copy(update={"checkpoint": "checkpoints/none"})

    with pytest.raises(ArtifactNotFound, match="checkpoints/none"):
        export_model(job, tmp_path)


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    _, job = line_store(tmp_path, layout="fixed")
    (tmp_path / "store/checkpoints/toy/model.npz").write_bytes(b"PK")

    with pytest.raises(BadData, match="is no usable checkpoint"):
        export_model(job, tmp_path / "job")


def test_a_legacy_export_that_dies_says_why(tmp_path: Path) -> None:
    with (
        LegacyExport("export-recogniser", tmp_path / "no-checkpoint", tmp_path, tmp_path) as legacy,
        pytest.raises(LegacyExportFailed, match="no-checkpoint is no usable checkpoint"),
    ):
        legacy.wait()


STOCK = """
import json, sys
from pathlib import Path
from paddleocr import TextRecognition

paths = sorted(str(path) for path in Path(sys.argv[2]).glob("*.png"))
readings = []
for request in json.loads(sys.argv[1]):
    model = TextRecognition(
        model_name="PP-OCRv5_mobile_rec", model_dir=request["folder"], input_shape=request["shape"]
    )
    results = model.predict(paths, batch_size=5)
    readings.append([[result["rec_text"], float(result["rec_score"])] for result in results])
print(json.dumps(readings))
"""


@needs_paddleocr
def test_stock_paddleocr_reads_what_the_bundles_read(
    fixed: Exported, line: Exported, tmp_path: Path
) -> None:
    images = [blotches(number) for number in range(1000, 1040)]
    for number, image in enumerate(images):
        (tmp_path / f"{number:03d}.png").write_bytes(encode_png(image))
    reversed_charset = tuple(reversed(CHARACTERS))
    assert (CHARACTERS[0], reversed_charset[-1]) == (" ", " ")
    last = export_paddle_alone(tmp_path / "space-last", characters=reversed_charset)
    folders = [exported.bundle / "paddle" for exported in (fixed, line)] + [last]
    expected = [OnnxRecogniser.load(one.bundle).recognise(images) for one in (fixed, line)]
    run = load_predictor(last, onednn=False)
    reader = LineReader(LineSpec("line", 32, 128), reversed_charset)
    expected.append(list(reader.decode(reader.infer(run, images)).outputs))

    requests = [
        {"folder": str(folder), "shape": shape}
        for folder, shape in zip(folders, [(3, 32, 128), None, None], strict=True)
    ]
    found = run_stock(STOCK, json.dumps(requests), str(tmp_path), cache=tmp_path / "paddlex")

    for readings, ours in zip(found, expected, strict=True):
        assert [text for text, _ in readings] == [one.text for one in ours]
        assert any(" " in text.strip() for text, _ in readings)
        assert [score for _, score in readings] == pytest.approx(
            [one.confidence for one in ours], abs=1e-3
        )


def export_paddle_alone(folder: Path, *, characters: tuple[str, ...]) -> Path:
    """Write the Paddle form of a recogniser of lines with another charset."""
    spec = LineSpec("line", 32, 128)
    net = build_recogniser_net(RecogniserNetSpec(spec, "small", False, characters))
    net.set_state_dict(varied_weights(net))
    net.eval()
    config = inference_config(spec, characters)
    export_paddle(TrainedNet(net, input_shape(spec)), config=config, folder=folder)
    return folder


def perturb(path: Path) -> None:
    """Change one of the larger weights of an ONNX model by a tenth."""
    model = onnx.load(str(path))
    tensor = max(model.graph.initializer, key=lambda one: len(one.raw_data))
    array = onnx.numpy_helper.to_array(tensor) * np.float32(1.1)
    tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    onnx.save(model, str(path))
