"""Jobs as real processes: what each exit means to the task."""

import json
from pathlib import Path

import pytest

from configs.jobs import TrainJob, TrainResult
from configs.training import ResourceParams, TrainingParams
from ocr.errors import ArtifactNotFound, BadInput
from tasks.jobs import JobDied, run_job

RESULT = TrainResult(checkpoint="checkpoint", metrics={}, timings={}, environment={})


def job(store: Path) -> TrainJob:
    return TrainJob(
        store=str(store),
        snapshot="datasets/none/0",
        training=TrainingParams(),
        resources=ResourceParams(),
    )


def run(folder: Path) -> TrainResult:
    return run_job(
        job(folder / "store"), folder=folder, result_type=TrainResult, on_event=lambda _: None
    )


def test_a_result_that_is_there_is_taken_without_running(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(RESULT.model_dump_json())

    assert run(tmp_path) == RESULT


def test_an_error_of_the_job_arrives_with_its_message(tmp_path: Path) -> None:
    with pytest.raises((BadInput, ArtifactNotFound), match="datasets/none/0"):
        run(tmp_path)


def test_a_half_written_result_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"kind": "train"')

    with pytest.raises(JobDied, match="left no valid"):
        run(tmp_path)


def test_the_job_that_was_asked_for_is_kept(tmp_path: Path) -> None:
    with pytest.raises((BadInput, ArtifactNotFound)):
        run(tmp_path)

    kept = json.loads((tmp_path / "job.json").read_text())
    assert kept["snapshot"] == "datasets/none/0"
