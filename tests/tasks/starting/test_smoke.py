"""A smoke before the training: what it derives, when one that passed counts, and how it fails."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import ExportResult, PaddleOcrRuntime, TrainResult
from configs.paddleocr import (
    PaddleOcrDetectorParams,
    PaddleOcrRecogniserParams,
    RecogniserTraining,
    Training,
)
from configs.training import DetectorTrainingParams, RecogniserTrainingParams, ResourceParams
from ocr.errors import ParityFailed, TrainingFailed
from tasks.run.jobs import Job
from tasks.starting.smoke import shorten, smoke_recogniser
from tasks.workspace import open_workspace
from tests.tasks.conftest import ToyProject

TRAINED = TrainResult(
    kind="train-recogniser", checkpoint="checkpoint", metrics={}, timings={}, environment={}
)
EXPORTED = ExportResult(kind="export-recogniser", bundle="bundle", parity={"onnx": 0.0}, timings={})
EMBEDDED = RecogniserTrainingParams(epochs=40, evaluations=10, patience=3)


class Jobs(list[Job]):
    """The jobs that were run; `error` is what the next ones end with."""

    error: Exception | None = None

    def run(self, job: Job, *, folder: Path, **_: Any) -> TrainResult | ExportResult:
        self.append(job)
        if self.error:
            raise self.error
        if job.kind == "export-recogniser":
            return EXPORTED
        (folder / "checkpoint").mkdir(parents=True)
        (folder / "result.json").write_text(TRAINED.model_dump_json())
        return TRAINED


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    jobs = Jobs()
    monkeypatch.setattr("tasks.train.run_job", jobs.run)
    monkeypatch.setattr("tasks.starting.smoke.run_job", jobs.run)
    return jobs


def smoke(project: ToyProject, training: RecogniserTraining = EMBEDDED) -> str:
    return smoke_recogniser.fn(project.dataset, training, ResourceParams())


PADDLEOCR = {"net": "configs/rec/x.yml", "epochs": 100, "batch_size": 64, "patience": 5}


@pytest.mark.parametrize(
    ("training", "batch_size"),
    [
        (RecogniserTrainingParams(epochs=40, batch_size=64), 16),
        (DetectorTrainingParams(epochs=40), 4),
        (PaddleOcrRecogniserParams(**PADDLEOCR), 16),
        (PaddleOcrDetectorParams(**PADDLEOCR), 16),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_smoke_of_every_engine_and_net_is_the_same_training_but_short(
    training: Training, batch_size: int
) -> None:
    short = shorten(training)

    assert (short.epochs, short.batch_size, short.evaluations, short.patience) == (
        *(3, batch_size),
        *(1, 0),
    )
    same = {"epochs", "batch_size", "evaluations", "patience"}
    assert short.model_dump(exclude=same) == training.model_dump(exclude=same)
    assert type(short).model_validate(short.model_dump()) == short


def test_a_job_of_paddleocr_is_run_by_its_runtime_on_the_part(
    project: ToyProject, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = PaddleOcrRuntime(home="/tree", python="/python", tree="t", packages="p")
    monkeypatch.setattr("tasks.train.find_runtime", lambda *_: runtime)
    monkeypatch.setattr("tasks.starting.smoke.MOST_SAMPLES", 10)

    smoke(project, PaddleOcrRecogniserParams(**PADDLEOCR))

    train, export = jobs
    assert (train.kind, export.kind) == ("train-paddleocr-recogniser", "export-recogniser")
    assert train.runtime == runtime  # type: ignore[union-attr]
    assert train.snapshot == export.snapshot
    assert train.snapshot.startswith("datasets/toy-part/")


def test_what_passed_is_not_tried_again_for_the_same_code_and_data(
    project: ToyProject, jobs: Jobs
) -> None:
    first = smoke(project)
    longer = smoke(project, EMBEDDED.model_copy(update={"epochs": 80}))

    assert longer == first
    assert [job.kind for job in jobs] == ["train-recogniser", "export-recogniser"]
    assert open_workspace().store.exists(first)
    assert open_workspace().registry.versions("smoke") == []


def test_other_code_data_or_net_is_tried_anew(
    project: ToyProject, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [smoke(project), smoke(project, EMBEDDED.model_copy(update={"size": "small"}))]
    monkeypatch.setattr("tasks.starting.smoke.describe_code", lambda _: {"code": "other"})
    keys.append(smoke(project))
    key = open_workspace().store  # another snapshot of the same content has another digest
    other = replace(project.dataset, key=_copy(key, project.dataset.key), digest="0" * 64)
    keys.append(smoke_recogniser.fn(other, EMBEDDED, ResourceParams()))
    keys.append(smoke(project, EMBEDDED.model_copy(update={"int8": True})))

    assert len(set(keys)) == 5


def test_other_code_is_trained_and_finds_no_checkpoint_of_the_code_before(
    project: ToyProject, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    smoke(project)
    monkeypatch.setattr("tasks.starting.smoke.describe_code", lambda _: {"code": "other"})

    smoke(project)

    assert [job.kind for job in jobs] == ["train-recogniser", "export-recogniser"] * 2


@pytest.mark.parametrize("error", [TrainingFailed("diverged"), ParityFailed("onnx reads 8 as B")])
def test_a_smoke_that_fails_says_so_in_one_reason_and_leaves_no_mark(
    project: ToyProject, jobs: Jobs, error: Exception
) -> None:
    jobs.error = error
    with pytest.raises(type(error)) as failed:
        smoke(project)
    jobs.error = None

    again = smoke(project)

    said = f"the smoke of the recogniser failed, nothing was trained in full: {error.args[0]}"
    assert str(failed.value).endswith(said.partition("full: ")[2])
    assert str(failed.value).startswith("the smoke of the recogniser failed, nothing was trained")
    assert open_workspace().store.exists(again)


def _copy(store: Any, key: str) -> str:
    other = f"datasets/toy/{'0' * 64}"
    for name in store.list(key):
        store.put_bytes(name.replace(key, other), store.read_bytes(name))
    return other
