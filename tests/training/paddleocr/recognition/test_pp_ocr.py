"""PP-OCRv5 mobile for real: trained by PaddleOCR's trainer, exported, bundled and served."""

from pathlib import Path

import numpy as np
import pytest

from configs.jobs import ExportRecogniserJob, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import SERVING_FOLDER, read_recogniser_bundle
from ocr.models.registry import Registry
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from ocr.store.folder import download_folder, upload_folder
from tests.paddleocr_tree import find_runtime
from tests.serving.gateway import Gateway, running_gateway
from tests.training.conftest import make_digits
from tests.training.running import start
from training.export.export import export_model
from training.loop.progress import read_events
from training.paddleocr.recognition.export import load_exported_recogniser

CHECKPOINT = "checkpoints/pp-ocrv5"

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_digits(tmp_path_factory.mktemp("few"), train=8, val=4, lengths=(4, 6))


@pytest.fixture(scope="module")
def trained(lines: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of two epochs, with heads, joined lines and scales as upstream has them."""
    folder = tmp_path_factory.mktemp("pp-ocrv5")
    job = TrainPaddleOcrRecogniserJob(
        **lines,
        training=PaddleOcrRecogniserParams(
            net="pp-ocrv5-mobile",
            epochs=2,
            batch_size=4,
            learning_rate=1e-5,  # so few steps of a higher one teach it to read nothing
            width_px=320,
            max_text_length=12,
            evaluations=1,
        ),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )
    (folder / "job.json").write_text(job.model_dump_json(), encoding="utf-8")
    with start(folder / "job.json", command=job.kind) as process:
        _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return folder


@pytest.fixture(scope="module")
def bundle(trained: Path, lines: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkpoint = trained / "checkpoint"
    (checkpoint / "manifest.json").write_text("{}")
    upload_folder(open_store(lines["store"]), checkpoint, prefix=CHECKPOINT)
    job = ExportRecogniserJob(
        **lines,
        checkpoint=CHECKPOINT,
        name="toy",
        version="v1",
        parameters={},
        metrics={},
        golden_images=4,
        text_model=False,
    )
    folder = tmp_path_factory.mktemp("export")
    return folder / export_model(job, folder).bundle


@pytest.fixture(scope="module")
def images(lines: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> list[Image]:
    """The test lines, and one much wider than what the net learnt on."""
    folder = tmp_path_factory.mktemp("test-lines")
    download_folder(open_store(lines["store"]), prefix=lines["snapshot"], folder=folder)
    found = [image for _, image in open_line_snapshot(folder).images("test")]
    return [*found, np.concatenate(found[:3], axis=1)]


def test_it_learns_on_every_scale(trained: Path) -> None:
    steps = [event for event in read_events(trained / "metrics.jsonl") if event["event"] == "step"]

    assert steps[-1]["step"] == steps[-1]["steps"] >= 4
    assert all(np.isfinite(event["loss"]) for event in steps)


def test_its_bundle_has_every_form_and_answers_as_the_net_that_paddleocr_exported(
    trained: Path, bundle: Path, images: list[Image]
) -> None:
    exported = load_exported_recogniser(trained / "checkpoint")
    expected = exported.reader.infer(exported.net.answer, images)

    found = OnnxRecogniser.load(bundle).probabilities(images)

    manifest = read_recogniser_bundle(bundle)
    spec = manifest.input
    assert (spec.height_px, spec.width_px, spec.frame_px, spec.padding) == (48, 320, 8, "seen")
    assert manifest.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    assert (bundle / SERVING_FOLDER / "inference.pdmodel").is_file()
    for one, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, wanted, atol=1e-3)


def test_the_gateway_answers_as_the_net_that_paddleocr_exported(
    trained: Path, bundle: Path, images: list[Image], tmp_path: Path
) -> None:
    exported = load_exported_recogniser(trained / "checkpoint")
    expected = exported.reader.decode(exported.reader.infer(exported.net.answer, images))
    store = str(tmp_path / "store")
    registry = Registry(open_store(store))
    registry.register("toy", "v1", bundle)
    registry.promote("toy", "v1", reason="first")

    with running_gateway(tmp_path / "home", store=store) as gateway:
        gateway.wait_ready()
        answers = [read(gateway, image) for image in images]

    texts = [one.text for one in expected.outputs]
    confidences = [one.confidence for one in expected.outputs]
    assert any(texts)
    assert [text for text, _ in answers] == texts
    assert [confidence for _, confidence in answers] == pytest.approx(confidences, abs=1e-3)


def read(gateway: Gateway, image: Image) -> tuple[str, float]:
    headers = {"content-type": "image/png"}
    reply = gateway.post(content=encode_png(image), headers=headers).raise_for_status()
    (answer,) = reply.json()["results"]
    return answer["text"], answer["confidence"]
