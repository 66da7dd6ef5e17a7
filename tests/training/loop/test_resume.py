"""A training ended at any moment goes on, and ends as if nothing had happened."""

import signal
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import assert_same_weights, curve, end_at, run

OPTIONS: dict[str, Any] = {
    "epochs": 5,
    "evaluations": 3,
    "checkpoint_every_s": 0.01,
    "composition": {"enabled": False},
}


@pytest.fixture(scope="module")
def uninterrupted(digits: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    code, errors = run(write_recogniser_job(folder, digits, **OPTIONS))
    assert code == 0, errors
    return folder


def test_a_training_killed_again_and_again_ends_with_the_same_curve(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, **OPTIONS)

    for step in (1, 11, 23):
        end_at(job, step=step, how=signal.SIGKILL)
    code, errors = run(job)

    assert code == 0, errors
    assert curve(tmp_path) == curve(uninterrupted)
    assert_same_weights(tmp_path, uninterrupted)


@pytest.mark.usefixtures("hears_interrupts")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_training_asked_to_stop_keeps_its_last_step(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path, how: signal.Signals
) -> None:
    job = write_recogniser_job(tmp_path, digits, **OPTIONS | {"checkpoint_every_s": 1000})

    code, errors = end_at(job, step=7, how=how)
    kept = [path.name for path in (tmp_path / "state").iterdir()]
    again, _ = run(job)

    assert code == 128 + signal.SIGTERM
    assert f"Stopped at step {int(kept[0])} of 30; run again to go on" in errors
    assert again == 0
    assert curve(tmp_path) == curve(uninterrupted)


def test_a_finished_training_is_not_repeated(uninterrupted: Path) -> None:
    before = (uninterrupted / "result.json").stat()

    code, _ = run(uninterrupted / "job.json")

    assert code == 0
    assert (uninterrupted / "result.json").stat() == before


@pytest.mark.parametrize("finished", [True, False])
def test_the_work_of_another_job_is_refused(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path, *, finished: bool
) -> None:
    for name in ("digest", "state", *["result.json"] * finished):
        (tmp_path / name).symlink_to(uninterrupted / name)
    job = write_recogniser_job(tmp_path, digits, **OPTIONS | {"seed": 1})

    code, errors = run(job)

    assert code == 2
    assert "holds the work of another job" in errors


def test_the_work_of_another_engine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "digest").write_text("0" * 64)
    runtime = PaddleOcrRuntime(home="/none", python="/none", tree="t", packages="p")
    job = TrainPaddleOcrRecogniserJob(
        store="file:///none",
        snapshot="datasets/d/0",
        training=PaddleOcrRecogniserParams(),
        resources=ResourceParams(),
        runtime=runtime,
    )
    (tmp_path / "job.json").write_text(job.model_dump_json())

    code, errors = run(tmp_path / "job.json", command=job.kind)

    assert code == 2
    assert "holds the work of another job" in errors
