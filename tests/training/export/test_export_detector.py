"""Exports of detectors: every form finds the checkpoint's boxes, or there is no bundle."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime
import pytest
import yaml

import training.export.export
from configs.jobs import ExportDetectorJob, ExportResult
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.errors import ParityFailed
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import read_detector_bundle
from ocr.models.detector_spec import PageSpec
from ocr.models.golden import read_golden_inputs
from ocr.reading.detection.boxes import Detections
from ocr.reading.detection.detector import OnnxDetector
from ocr.store import open_store
from tests.training.detection.toy_detector import RULE
from tests.training.export.page_store import LONG_SIDE_PX, page, page_store
from tests.training.export.stock import needs_paddleocr, run_stock
from training.detection.export import DetectorExport, load_detector_export
from training.export.card import render_card
from training.export.export import export_model
from training.forms.onnx import export_onnx
from training.forms.paddle import load_predictor, read_config
from training.forms.parity import LARGEST_DIFFERENCE, ParityProof, Reading


@dataclass(frozen=True)
class Exported:
    """What the export of this file's fixture left."""

    job: ExportDetectorJob
    folder: Path
    result: ExportResult

    @property
    def bundle(self) -> Path:
        return self.folder / self.result.bundle

    @property
    def model(self) -> DetectorExport:
        return load_detector_export(self.folder / "checkpoint")

    def images(self) -> list[Image]:
        return list(read_golden_inputs(self.bundle))

    def find(self, paddle_folder: Path) -> Reading[Detections]:
        reader = self.model.stock_reader(read_config(paddle_folder))
        run = load_predictor(paddle_folder, onednn=False)
        return reader.decode(reader.infer(run, self.images()))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    root = tmp_path_factory.mktemp("detector")
    _, job = page_store(root)
    (root / "job").mkdir()
    return Exported(job, root / "job", export_model(job, root / "job"))


def test_every_form_finds_what_the_checkpoint_finds(exported: Exported) -> None:
    assert exported.result.kind == "export-detector"
    assert exported.result.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    assert max(exported.result.parity.values()) < LARGEST_DIFFERENCE


def test_the_manifest_says_what_pages_become_and_how_maps_become_boxes(exported: Exported) -> None:
    manifest = read_detector_bundle(exported.bundle)

    assert (manifest.name, manifest.version, manifest.parent) == ("toy-detector", "v1", "")
    assert (manifest.input, manifest.boxes) == (PageSpec(LONG_SIDE_PX), RULE)
    assert manifest.dataset_digest == exported.job.snapshot.rpartition("/")[2]
    assert manifest.parity == exported.result.parity


def test_golden_pages_have_the_size_that_the_net_takes(exported: Exported) -> None:
    assert [image.shape for image in exported.images()] == [(320, 256, 3)] * 3


def test_golden_boxes_are_what_the_bundle_finds(exported: Exported) -> None:
    detector = OnnxDetector.load(exported.bundle)
    outputs = json.loads((exported.bundle / "golden/outputs.json").read_bytes())["images"]

    for golden, image in zip(outputs, exported.images(), strict=True):
        found = detector.detect(image)

        assert len(found.boxes) >= 6
        np.testing.assert_array_equal(found.boxes, np.float32(golden["boxes"]))
        np.testing.assert_allclose(found.scores, golden["scores"], atol=1e-3)


def test_the_onnx_form_takes_pages_of_any_size(exported: Exported) -> None:
    session = onnxruntime.InferenceSession(exported.bundle / "onnx/model.onnx")

    assert session.get_inputs()[0].shape == ["N", 3, "H", "W"]
    for height, width in ((32, 64), (96, 32)):
        (found,) = session.run(None, {"x": np.zeros((1, 3, height, width), np.float32)})
        assert found.shape == (1, 1, height, width)


def test_the_onnx_form_holds_nothing_that_is_not_used(exported: Exported) -> None:
    graph = onnx.load(str(exported.bundle / "onnx/model.onnx")).graph

    used = {name for node in graph.node for name in node.input}

    assert {tensor.name for tensor in graph.initializer} <= used


def test_the_card_says_how_to_load_it(exported: Exported) -> None:
    card = (exported.bundle / "card.md").read_text(encoding="utf-8")

    assert f"text_det_limit_side_len={LONG_SIDE_PX}," in card
    assert "text_det_unclip_ratio=0.5," in card
    assert "text_recognition_batch_size=1," in card
    assert "| serving |" in card
    assert "4 train, 4 val, 4 test" in card


def test_the_card_of_what_learnt_nothing_says_so(exported: Exported) -> None:
    snapshot = open_store(exported.job.store).read_bytes(f"{exported.job.snapshot}/manifest.json")
    template, words = exported.model.card()
    taken = {"epochs": 0, "pretrained_sha256": "ab12"}

    card = render_card(
        template,
        job=exported.job.model_copy(update={"parameters": taken}),
        created="",
        dataset=SnapshotManifest.from_bytes(snapshot),
        parity={},
        model=words,
    )

    assert "4 test.\nNothing was learnt of it: the weights, of SHA-256 `ab12`, were taken" in card


def test_the_card_says_how_the_pixels_of_this_net_are_normalised(exported: Exported) -> None:
    spec = PageSpec(640, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
    export = DetectorExport(exported.model.net, spec, RULE, description="Of PaddleOCR")
    snapshot = open_store(exported.job.store).read_bytes(f"{exported.job.snapshot}/manifest.json")
    template, words = export.card()

    card = render_card(
        template,
        job=exported.job,
        created="",
        dataset=SnapshotManifest.from_bytes(snapshot),
        parity={},
        model=words,
    )

    assert "mean 0.485, 0.456, 0.406 and\nstd 0.229, 0.224, 0.225 of blue, green and red" in card


def test_the_serving_config_names_the_tensors_for_clients(exported: Exported) -> None:
    texts = {path.read_text() for path in (exported.bundle / "serving").glob("*.prototxt")}

    assert len(texts) == 1
    assert 'alias_name: "probabilities"' in texts.pop()


def test_perturbed_weights_are_refused_and_the_page_is_saved(
    exported: Exported, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def export_and_perturb(paddle_folder: Path, path: Path, *, dimensions: str) -> None:
        export_onnx(paddle_folder, path, dimensions=dimensions)
        perturb(path)

    monkeypatch.setattr(training.export.export, "export_onnx", export_and_perturb)

    with pytest.raises(ParityFailed, match=r"onnx .* in golden image 0; probabilities differ by"):
        export_model(exported.job, tmp_path)

    assert len(list((tmp_path / "parity").glob("onnx-000.png"))) == 1
    assert not (tmp_path / "bundle").exists()


@pytest.mark.parametrize(
    ("step", "key", "value", "message"),
    [
        ("DBPostProcess", "unclip_ratio", 2.0, r"finds the box at \(\d+, \d+\) .* px apart, IoU"),
        ("DBPostProcess", "box_thresh", 0.9999, r"finds \d boxes instead of 7"),
        ("DetResizeForTest", "resize_long", 128, "differ by inf"),
    ],
)
def test_a_wrong_inference_yml_is_refused(
    exported: Exported, tmp_path: Path, step: str, key: str, value: float, message: str
) -> None:
    folder = shutil.copytree(exported.bundle / "paddle", tmp_path / "paddle")
    config = yaml.safe_load((folder / "inference.yml").read_text(encoding="utf-8"))
    if step == "DBPostProcess":
        config["PostProcess"][key] = value
    else:
        (resize,) = [s[step] for s in config["PreProcess"]["transform_ops"] if step in s]
        resize[key] = value
    (folder / "inference.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    proof = ParityProof(
        exported.find(exported.bundle / "paddle"),
        exported.images(),
        tmp_path / "parity",
        compare=exported.model.compare,
    )

    with pytest.raises(ParityFailed, match=message):
        proof.check("paddle", exported.find(folder))


STOCK = """
import json, sys
from pathlib import Path
from paddleocr import TextDetection

model = TextDetection(model_name="PP-OCRv5_mobile_det", model_dir=sys.argv[1])
found = []
for path in sorted(Path(sys.argv[2]).glob("*.png")):
    (result,) = model.predict(str(path))
    found.append([result["dt_polys"].tolist(), [float(score) for score in result["dt_scores"]]])
print(json.dumps(found))
"""


@needs_paddleocr
def test_stock_paddleocr_finds_what_the_bundle_finds(exported: Exported, tmp_path: Path) -> None:
    pages = [page(number) for number in range(1000, 1004)]
    pages += [pages[0][:200, :150], pages[1][:, :90], pages[2][:40, :300]]
    for number, image in enumerate(pages):
        (tmp_path / f"{number:03d}.png").write_bytes(encode_png(image))
    detector = OnnxDetector.load(exported.bundle)

    model = str(exported.bundle / "paddle")
    found = run_stock(STOCK, model, str(tmp_path), cache=tmp_path / "paddlex")

    assert len(found) == len(pages)
    for (boxes, scores), image in zip(found, pages, strict=True):
        expected = detector.detect(image)
        assert boxes == expected.crop_boxes.tolist()
        assert scores == pytest.approx(expected.scores.tolist(), abs=1e-3)


def perturb(path: Path) -> None:
    """Change every weight of an ONNX model by a tenth."""
    model = onnx.load(str(path))
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(onnx.numpy_helper.from_array(array * np.float32(1.1), tensor.name))
    onnx.save(model, str(path))
