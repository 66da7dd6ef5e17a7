"""What a training makes of what another run did meanwhile; the training itself is the trainer's."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import TrainRecogniserJob, TrainResult
from configs.training import RecogniserTrainingParams, ResourceParams
from tasks.references import CheckpointRef
from tasks.train import train_recogniser
from tests.tasks.conftest import ToyProject

RESULT = TrainResult(
    kind="train-recogniser",
    checkpoint="checkpoint",
    metrics={"accuracy": 0.5},
    timings={},
    environment={"code": "c0ffee"},
)


def train(project: ToyProject) -> CheckpointRef:
    return train_recogniser.fn(project.dataset, RecogniserTrainingParams(), ResourceParams())


def leave_result(_: TrainRecogniserJob, *, folder: Path, **__: Any) -> TrainResult:
    (folder / "checkpoint").mkdir(parents=True)
    (folder / "checkpoint" / "model.npz").write_bytes(b"weights")
    (folder / "result.json").write_text(RESULT.model_dump_json())
    return RESULT


def test_checkpoint_of_a_run_that_was_faster_and_cleaned_up_counts(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[CheckpointRef] = []

    def be_overtaken(_: TrainRecogniserJob, *, folder: Path, **__: Any) -> TrainResult:
        monkeypatch.setattr("tasks.train.run_job", leave_result)
        others.append(train(project))
        assert not folder.exists()
        return RESULT

    monkeypatch.setattr("tasks.train.run_job", be_overtaken)

    assert [train(project)] == others
    assert others[0].code == "c0ffee"


def test_result_that_vanished_is_a_failure_where_nobody_else_published_one(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_result(job: TrainRecogniserJob, *, folder: Path, **_: Any) -> TrainResult:
        leave_result(job, folder=folder)
        shutil.rmtree(folder)
        return RESULT

    monkeypatch.setattr("tasks.train.run_job", lose_result)

    with pytest.raises(FileNotFoundError):
        train(project)
