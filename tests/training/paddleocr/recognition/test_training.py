"""PaddleOCR's own trainer for real: killed, gone on with, exported, bundled and read."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from configs.jobs import ExportRecogniserJob, TrainKind, TrainPaddleOcrRecogniserJob, TrainResult
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.errors import BadInput
from ocr.models.bundle import read_recogniser_bundle
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from ocr.store.folder import download_folder, upload_folder
from ocr.store.whole import sha256_of
from tests.paddleocr_tree import copy_tree, find_runtime
from tests.training.paddleocr.killing import train_twice
from tests.training.running import run, start
from training.export.export import export_model
from training.loop.progress import read_events
from training.paddleocr.checkpoint import WEIGHTS
from training.paddleocr.pretrained.fit_tool import read_arrays
from training.paddleocr.recognition.export import load_exported_recogniser

EPOCHS = 4
NET = "configs/rec/rec_mv3_none_none_ctc.yml"
FIXED_WIDTH = "configs/rec/rec_mv3_tps_bilstm_ctc.yml"
"""It reads lines of 100 px and no others."""
KIND: TrainKind = "train-paddleocr-recogniser"

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def trained(digits: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that was killed with -9 after an epoch and run again."""
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(
            net=NET,
            epochs=EPOCHS,
            batch_size=8,
            width_px=112,
            evaluations=2,
        ),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )
    return train_twice(job, tmp_path_factory.mktemp("paddleocr"))


@pytest.fixture(scope="module")
def bundle(trained: Path, digits: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    checkpoint = trained / "checkpoint"
    (checkpoint / "manifest.json").write_text("{}")
    upload_folder(open_store(digits["store"]), checkpoint, prefix="checkpoints/paddleocr")
    job = ExportRecogniserJob(
        **digits,
        checkpoint="checkpoints/paddleocr",
        name="toy",
        version="v1",
        parameters={},
        metrics={},
        golden_images=8,
        text_model=False,
    )
    return folder / export_model(job, folder).bundle


def test_a_killed_training_goes_on_after_its_last_epoch(trained: Path) -> None:
    steps = [event for event in read_events(trained / "metrics.jsonl") if event["event"] == "step"]
    log = (trained / "trainer.log").read_text(encoding="utf-8")

    assert steps[-1]["step"] == steps[-1]["steps"] == 6 * EPOCHS
    assert [event["step"] for event in steps] == sorted({event["step"] for event in steps})
    assert log.count("train from scratch") == 1
    assert log.count("resume from") == 1
    assert steps[-1]["loss"] < steps[0]["loss"]


def test_the_last_epoch_is_validated_and_its_best_weights_are_exported(trained: Path) -> None:
    events = read_events(trained / "metrics.jsonl")
    found = {event["step"]: event["accuracy"] for event in events if event["event"] == "validation"}
    result = TrainResult.model_validate_json((trained / "result.json").read_bytes())

    assert list(found) == [6 * (EPOCHS - 2), 6 * EPOCHS]
    assert result.metrics["paddleocr_accuracy"] == max(found.values())


def test_a_net_of_which_no_bundle_can_be_made_is_refused_before_it_learns(
    digits: dict[str, str], tmp_path: Path
) -> None:
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(net=FIXED_WIDTH, batch_size=8, width_px=112),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )
    (tmp_path / "job.json").write_text(job.model_dump_json(), encoding="utf-8")

    with start(tmp_path / "job.json", command=KIND) as process:
        _, errors = process.communicate(timeout=600)

    assert process.returncode == BadInput.exit_code
    assert f"training.net: no bundle can be made of {FIXED_WIDTH}: " in errors
    assert not (tmp_path / "trainer.log").exists()
    assert not (tmp_path / "rehearsal").exists()


def test_our_reading_of_the_val_split_stands_beside_its_own(trained: Path) -> None:
    result = TrainResult.model_validate_json((trained / "result.json").read_bytes())

    assert {"accuracy", "ned", "paddleocr_accuracy"} == result.metrics.keys()
    assert result.metrics["accuracy"] == pytest.approx(
        result.metrics["paddleocr_accuracy"], abs=1e-3
    )
    assert result.timings["images_per_s"] > 0
    assert ", albumentations 1.4.10, " in result.environment["packages"]


@pytest.mark.slow
def test_frozen_parts_stay_as_they_came_and_the_others_learn(
    trained: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    weights = trained / "checkpoint" / WEIGHTS
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(
            net=NET,
            epochs=1,
            batch_size=8,
            width_px=112,
            pretrained=str(weights),
            pretrained_sha256=sha256_of(weights),
            frozen="backbone",
            clip_norm=5.0,
        ),
        resources=ResourceParams(),
        runtime=find_runtime(),
    )

    (tmp_path / "job.json").write_text(job.model_dump_json(), encoding="utf-8")

    with start(tmp_path / "job.json", command=KIND) as process:
        _, errors = process.communicate(timeout=600)

    assert process.returncode == 0, errors
    before, after = (
        read_arrays(BytesIO((folder / "checkpoint" / WEIGHTS).read_bytes()))
        for folder in (trained, tmp_path)
    )
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert any("backbone" in name and "_mean" in name for name in before)
    assert changed
    assert {name.split(".")[0] for name in changed} == {"head"}


def test_a_net_that_was_trained_elsewhere_is_taken_as_it_is(
    trained: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    weights = trained / "checkpoint" / WEIGHTS
    ours = "./ppocr/utils/ours.txt"
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(
            net=NET,
            epochs=0,
            width_px=32,  # more than half of the lines would be squeezed, if it learnt
            pretrained=str(weights),
            pretrained_sha256=sha256_of(weights),
        ),
        resources=ResourceParams(),
        runtime=copy_tree(tmp_path, NET, dictionary="0123456789", character_dict_path=ours),
    )
    (tmp_path / "job.json").write_text(job.model_dump_json(), encoding="utf-8")

    code, errors = run(tmp_path / "job.json", command=KIND)

    assert code == 0, errors
    result = TrainResult.model_validate_json((tmp_path / "result.json").read_bytes())
    before, after = (
        read_arrays(BytesIO((folder / "checkpoint" / WEIGHTS).read_bytes()))
        for folder in (trained, tmp_path)
    )
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert result.metrics.keys() == {"accuracy", "ned"}
    assert result.timings.keys() == {"load_s"}
    assert not (tmp_path / "trainer.log").exists()
    assert not (tmp_path / "data" / "train.txt").exists()


def test_gpus_are_looked_for_before_anything_is_fetched(
    digits: dict[str, str], tmp_path: Path
) -> None:
    job = TrainPaddleOcrRecogniserJob(
        **digits | {"snapshot": "datasets/none/0"},
        training=PaddleOcrRecogniserParams(),
        resources=ResourceParams(device="gpu"),
        runtime=find_runtime(),
    )
    (tmp_path / "job.json").write_text(job.model_dump_json(), encoding="utf-8")

    with start(tmp_path / "job.json", command=KIND) as process:
        _, errors = process.communicate(timeout=600)

    assert process.returncode == BadInput.exit_code
    assert errors.splitlines()[-1].startswith("error: gpu ")


def test_the_bundle_answers_as_the_net_that_paddleocr_exported(
    trained: Path, bundle: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    download_folder(open_store(digits["store"]), prefix=digits["snapshot"], folder=tmp_path / "s")
    images = [image for _, image in open_line_snapshot(tmp_path / "s").images("test")]
    exported = load_exported_recogniser(trained / "checkpoint")
    expected = exported.reader.infer(exported.net.answer, images)

    served = OnnxRecogniser.load(bundle)

    manifest = read_recogniser_bundle(bundle)
    assert (manifest.input.height_px, manifest.input.width_px) == (32, 112)
    assert (manifest.input.padding, manifest.input.frame_px) == ("seen", 4)
    assert manifest.parity.keys() == {"paddle", "paddle-onednn", "onnx", "serving"}
    for found, wanted in zip(served.probabilities(images), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-3)
    assert [one.text for one in served.recognise(images)] == [
        one.text for one in exported.reader.decode(expected).outputs
    ]
