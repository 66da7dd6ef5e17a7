"""What a training took is kept with its checkpoint, and found by the next one like it."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

import pytest

from configs.jobs import TrainResult
from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrRecogniserParams, Training
from configs.training import DetectorTrainingParams, RecogniserTrainingParams, ResourceParams
from ocr.machine.planning.needs import LINES, predict
from ocr.machine.usage import Usage
from ocr.store import open_store
from ocr.store.folder import publish_folder, seal_folder
from tasks.judging.conclusion import read_environment
from tasks.run.jobs import USAGE
from tasks.run.usage import (
    Record,
    describe_training,
    expect,
    keep_record,
    read_record,
    read_records,
)
from tasks.workspace import Workspace

TWO = ResourceParams(devices=2, cpus=2)
RESULT = TrainResult(
    kind="train-recogniser",
    checkpoint="checkpoint",
    metrics={},
    timings={"train_s": 100},
    environment={},
)
TRAINING = describe_training(RecogniserTrainingParams(epochs=10), TWO, images=600)
TOOK = Usage(peak_memory_mib=1100, peak_shared_memory_mib=3, peak_device_memory_mib=0, seconds=130)


def keep(folder: Path, *, usage: Usage | None = TOOK, done: int = 50) -> Record | None:
    (folder / "checkpoint").mkdir(parents=True)
    if usage is not None:
        (folder / USAGE).write_text(json.dumps(asdict(usage)))
    event = {"event": "step", "step": done, "steps": 100}
    (folder / "metrics.jsonl").write_text(json.dumps(event) + "\n")
    store = open_store((folder / "store").as_uri())
    return keep_record(
        folder,
        RESULT,
        training=TRAINING,
        resources=TWO,
        expected=expect(store, TRAINING),
        key="checkpoints/a",
        beside=1,
    )


def test_a_net_that_learnt_nothing_tells_the_next_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.TRAINING", replace(TRAINING, epochs=0))

    assert keep(tmp_path) is None


def test_a_record_says_what_happened_beside_what_was_expected(tmp_path: Path) -> None:
    record = keep(tmp_path)

    assert record is not None
    said = record.said()
    assert said["resources"] == "devices=2 cpus=2.0"
    assert said["memory"].startswith("1100 MiB, expected ")
    assert said["time"].startswith("130 s, expected ")
    assert "a model" in said["expected from"]
    assert "memory of GPUs" not in said


def test_the_report_has_it_beside_the_versions_and_devices(tmp_path: Path) -> None:
    keep(tmp_path / "job")
    workspace = Workspace(store=open_store((tmp_path / "store").as_uri()), home=tmp_path)
    result = RESULT.model_copy(update={"environment": {"device": "2 x cpu"}})
    workspace.store.put_bytes("checkpoints/a/0/result.json", result.model_dump_json().encode())
    workspace.store.put_file(f"checkpoints/a/0/{USAGE}", tmp_path / "job" / "checkpoint" / USAGE)

    environment = read_environment(workspace, "checkpoints/a/0")

    assert environment["device"] == "2 x cpu"
    assert environment["memory"].startswith("1100 MiB, expected")


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = keep(tmp_path)

    assert read_record((tmp_path / "checkpoint" / USAGE).read_bytes()) == record


def test_epochs_are_those_that_a_training_came_to(tmp_path: Path) -> None:
    record = keep(tmp_path)

    assert record is not None
    assert record.took.training.epochs == 5


def test_a_job_that_nobody_watched_leaves_no_record(tmp_path: Path) -> None:
    assert keep(tmp_path, usage=None) is None
    assert not (tmp_path / "checkpoint" / USAGE).exists()


def test_the_next_training_like_it_is_expected_to_take_as_much(tmp_path: Path) -> None:
    keep(tmp_path / "job", done=100)
    store = open_store((tmp_path / "store").as_uri())
    seal_folder(tmp_path / "job" / "checkpoint")
    publish_folder(store, tmp_path / "job" / "checkpoint", key="checkpoints/a")

    needs = expect(store, TRAINING)

    assert len(list(read_records(store))) == 1
    assert needs.memory_mib == TOOK.peak_memory_mib
    assert needs.beside == 1
    assert needs.seconds == pytest.approx(TOOK.seconds)


@pytest.mark.parametrize("content", ["", '{"peak', '{"other": 1}'])
def test_half_a_usage_is_no_record_and_no_error(tmp_path: Path, content: str) -> None:
    keep(tmp_path / "whole")
    (tmp_path / "whole" / USAGE).write_text(content)

    record = keep_record(
        tmp_path / "whole",
        RESULT,
        training=TRAINING,
        resources=TWO,
        expected=expect(open_store((tmp_path / "store").as_uri()), TRAINING),
        key="checkpoints/a",
        beside=1,
    )

    assert record is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"took": {"training": {"nets": 1}}}'])
def test_a_record_of_another_release_is_none(tmp_path: Path, content: bytes) -> None:
    store = open_store(tmp_path.as_uri())
    store.put_bytes(f"checkpoints/a/0/{USAGE}", content)

    assert read_record(content) is None
    assert list(read_records(store)) == []
    assert "a model" in expect(store, TRAINING).basis


@pytest.mark.parametrize(
    ("training", "net", "batch", "pixels", "images"),
    [
        (
            RecogniserTrainingParams(),
            "embedded recogniser compact base lines",
            32,
            32 * 128,
            600,
        ),
        (
            RecogniserTrainingParams(layout="fixed"),
            "embedded recogniser compact base",
            32,
            32 * 128,
            600,
        ),
        (DetectorTrainingParams(), "embedded detector compact base", 8, 320 * 480, 4800),
        (
            PaddleOcrRecogniserParams(net="pp-ocrv5-mobile"),
            "paddleocr recogniser pp-ocrv5-mobile",
            16,
            48 * 320,
            600,
        ),
        (
            PaddleOcrDetectorParams(),
            "paddleocr detector configs/det/det_mv3_db.yml",
            8,
            640 * 640,
            600,
        ),
    ],
)
def test_what_decides_the_need_of_every_net_is_found(
    training: Training, net: str, batch: int, pixels: int, images: int
) -> None:
    found = describe_training(training, TWO, images=600)

    assert (found.net, found.batch_size, found.pixels) == (net, batch, pixels)
    assert found.images == images


@pytest.mark.parametrize(
    ("layout", "width_px", "pixels"),
    [("line", 32, 48 * 144), ("line", 320, 48 * 320), ("fixed", 32, 48 * 32)],
)
def test_a_line_is_as_wide_as_three_heights_whatever_paddleocr_pads_to(
    layout: Literal["line", "fixed"], width_px: int, pixels: int
) -> None:
    training = RecogniserTrainingParams(layout=layout, height_px=48, width_px=width_px)

    assert describe_training(training, TWO, images=600).pixels == pixels


def test_a_record_of_before_lines_were_three_heights_wide_is_of_other_pixels(
    tmp_path: Path,
) -> None:
    """As of crops of one size: whoever scaled it would expect several times the time."""
    record = keep(tmp_path)
    assert record is not None
    before = replace(record.took, training=replace(TRAINING, net=TRAINING.net.removesuffix(LINES)))

    assert "a model" in predict(TRAINING, [before]).basis
    assert "a model" not in predict(TRAINING, [before, record.took]).basis


@pytest.mark.parametrize(
    ("name", "number"), [("devices", 0), ("pixels", 0), ("batch_size", "many"), ("epochs", -1)]
)
def test_a_damaged_record_is_none(tmp_path: Path, name: str, number: object) -> None:
    keep(tmp_path)
    said = json.loads((tmp_path / "checkpoint" / USAGE).read_bytes())

    said["took"]["training"][name] = number

    assert read_record(json.dumps(said).encode()) is None


@pytest.mark.parametrize(("images", "possible"), [(0, True), (1, True), (1e-9, False)])
def test_a_record_of_less_than_an_image_is_none(
    tmp_path: Path, images: float, *, possible: bool
) -> None:
    keep(tmp_path)
    said = json.loads((tmp_path / "checkpoint" / USAGE).read_bytes())

    said["took"]["training"].update(images=1, epochs=images)

    assert (read_record(json.dumps(said).encode()) is not None) == possible


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_a_record_of_impossible_time_is_none(tmp_path: Path, seconds: float) -> None:
    keep(tmp_path)
    said = json.loads((tmp_path / "checkpoint" / USAGE).read_bytes())

    said["took"]["train_s"] = seconds

    assert read_record(json.dumps(said).encode()) is None


@pytest.mark.parametrize(
    "training", [RecogniserTrainingParams(), PaddleOcrRecogniserParams(batch_size=64)]
)
def test_of_several_machines_one_is_described(training: Training) -> None:
    several = ResourceParams(devices=2, nodes=4, rendezvous="first:29500")

    described = describe_training(training, several, images=602)

    ranks = 1 if training.engine == "paddleocr" else 8
    assert described.batch_size == training.batch_size * ranks / 4
    assert (described.devices, described.images) == (2, 151)
