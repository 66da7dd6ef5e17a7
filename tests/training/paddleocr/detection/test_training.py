"""A detector by PaddleOCR's own trainer for real: killed, gone on with, bundled and read with."""

from pathlib import Path

import numpy as np
import pytest

from configs.jobs import ExportDetectorJob, TrainPaddleOcrDetectorJob, TrainResult
from configs.paddleocr import PaddleOcrDetectorParams
from configs.training import ResourceParams
from ocr.image.pixels import Image
from ocr.models.bundle import read_detector_bundle
from ocr.reading.detection.agreement import compare_boxes
from ocr.reading.detection.boxes import find_boxes
from ocr.reading.detection.detector import OnnxDetector
from ocr.store import open_store
from ocr.store.folder import upload_folder
from ocr.store.whole import sha256_of
from tests.ocr.reading.stock_paddlex import stock_fitted, stock_page_input
from tests.paddleocr_tree import find_runtime
from tests.training.detection.toy_pages import draw_page, make_page_snapshot
from tests.training.paddleocr.killing import train_twice
from tests.training.running import run
from training.export.export import export_model
from training.loop.progress import read_events
from training.paddleocr.checkpoint import WEIGHTS, load_net

EPOCHS = 12
SIDE_PX = 256
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    return make_page_snapshot(folder, counts={"train": 6, "val": 2, "test": 1})


@pytest.fixture(scope="module")
def trained(pages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that was killed with -9 after an epoch and run again."""
    job = TrainPaddleOcrDetectorJob(
        **pages,
        training=PaddleOcrDetectorParams(
            net="pp-ocrv5-mobile",
            epochs=EPOCHS,
            batch_size=2,
            learning_rate=1e-4,
            evaluations=3,
            long_side_px=SIDE_PX,
            crop_height_px=128,
            crop_width_px=160,
        ),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )
    return train_twice(job, tmp_path_factory.mktemp("paddleocr"))


@pytest.fixture(scope="module")
def bundle(trained: Path, pages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    checkpoint = trained / "checkpoint"
    (checkpoint / "manifest.json").write_text("{}")
    upload_folder(open_store(pages["store"]), checkpoint, prefix="checkpoints/paddleocr")
    job = ExportDetectorJob(
        **pages,
        checkpoint="checkpoints/paddleocr",
        name="toy",
        version="v1",
        parameters={},
        metrics={},
        golden_images=2,
    )
    return folder / export_model(job, folder).bundle


def tinted_page() -> Image:
    """A page whose channels differ, larger than what the net takes."""
    page, _ = draw_page(np.random.default_rng(7))
    return np.asarray(page * (1.0, 0.75, 0.5), dtype=np.uint8)


def test_a_killed_training_goes_on_after_its_last_epoch(trained: Path) -> None:
    steps = [event for event in read_events(trained / "metrics.jsonl") if event["event"] == "step"]
    log = (trained / "trainer.log").read_text(encoding="utf-8")

    assert [event["step"] for event in steps] == list(range(1, 3 * EPOCHS + 1))
    assert log.count("train from scratch") == 1
    assert log.count("resume from") == 1


def test_what_its_trainer_and_our_detector_measure_stand_beside_each_other(trained: Path) -> None:
    result = TrainResult.model_validate_json((trained / "result.json").read_bytes())
    validations = [
        event for event in read_events(trained / "metrics.jsonl") if event["event"] == "validation"
    ]

    assert {"hmean", "precision", "recall", "paddleocr_hmean"} == result.metrics.keys()
    assert result.metrics["paddleocr_hmean"] == max(event["hmean"] for event in validations)
    assert result.metrics["hmean"] >= result.metrics["paddleocr_hmean"] - 1e-3  # its rule is tuned


@pytest.mark.slow  # of a recogniser: recognition/test_training.py
def test_a_net_that_was_trained_elsewhere_finds_as_it_did(
    trained: Path, pages: dict[str, str], tmp_path: Path
) -> None:
    weights = trained / "checkpoint" / WEIGHTS
    job = TrainPaddleOcrDetectorJob(
        **pages,
        training=PaddleOcrDetectorParams(
            net="pp-ocrv5-mobile",
            epochs=0,
            long_side_px=SIDE_PX,
            pretrained=str(weights),
            pretrained_sha256=sha256_of(weights),
        ),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )
    (tmp_path / "job.json").write_text(job.model_dump_json(), encoding="utf-8")

    code, errors = run(tmp_path / "job.json", command=job.kind)

    assert code == 0, errors
    before, after = (
        TrainResult.model_validate_json((folder / "result.json").read_bytes())
        for folder in (trained, tmp_path)
    )
    page = np.random.default_rng(0).standard_normal((1, 3, 64, 96)).astype(np.float32)
    then, now = (
        load_net(folder / "checkpoint", onednn=False)(page) for folder in (trained, tmp_path)
    )
    np.testing.assert_array_equal(now, then)
    assert after.metrics == {
        name: value for name, value in before.metrics.items() if name != "paddleocr_hmean"
    }


def test_the_bundle_finds_what_the_map_of_the_exported_net_says(
    trained: Path, bundle: Path
) -> None:
    page = tinted_page()
    manifest = read_detector_bundle(bundle)
    fitted = stock_fitted(page, long_side_px=SIDE_PX)
    expected = load_net(trained / "checkpoint", onednn=False)(
        stock_page_input(fitted, manifest.input)
    )[0, 0]

    detector = OnnxDetector.load(bundle)

    assert (manifest.input.mean, manifest.input.std) == IMAGENET
    assert manifest.input.long_side_px == SIDE_PX
    assert manifest.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    np.testing.assert_allclose(detector.probabilities(page), expected, atol=1e-3)
    assert expected.std() > 0.01
    boxes = find_boxes(expected, manifest.boxes, width_px=page.shape[1], height_px=page.shape[0])
    assert compare_boxes(detector.detect(page).boxes, boxes.boxes) == ""
