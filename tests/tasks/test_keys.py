"""What is found again, and what is made anew after an upgrade."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from configs.dataset import LineDatasetParams
from configs.jobs import ExportRecogniserJob, ExportResult, TrainRecogniserJob, TrainResult
from configs.training import RecogniserTrainingParams, ResourceParams
from tasks.export import export_recogniser
from tasks.prepare_lines import prepare_lines
from tasks.references import CheckpointRef, ModelRef
from tasks.run.jobs import Job
from tasks.train import train_recogniser
from tests.tasks.conftest import NAME, ToyProject
from tests.toy_bundle import write_toy_bundle

RESULT = TrainResult(
    kind="train-recogniser", checkpoint="checkpoint", metrics={}, timings={}, environment={}
)
BUNDLE = ExportResult(kind="export-recogniser", bundle="bundle", parity={}, timings={})


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of the jobs that were run; each leaves something small."""
    kinds: list[str] = []

    def leave(job: Job, *, folder: Path, **_: Any) -> TrainResult | ExportResult:
        kinds.append(job.kind)
        if isinstance(job, ExportRecogniserJob):
            write_toy_bundle(folder / "bundle", name=job.name, version=job.version)
            return BUNDLE
        assert isinstance(job, TrainRecogniserJob)
        (folder / "checkpoint").mkdir(parents=True)
        (folder / "result.json").write_text(RESULT.model_dump_json())
        return RESULT

    monkeypatch.setattr("tasks.train.run_job", leave)
    monkeypatch.setattr("tasks.export.run_job", leave)
    return kinds


def upgrade(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Let a package be of another version."""
    monkeypatch.setattr(
        "ocr.store.digest.version", lambda name: "99.0" if name == package else version(name)
    )


def prepare(project: ToyProject) -> None:
    """Prepare what there is, and fail unless it was made anew."""
    root = project.folder.parent / "images"
    params = LineDatasetParams(
        name=NAME, source="paddleocr", root=str(root), train_labels="labels.txt"
    )
    if prepare_lines.fn(params, NAME).cached:
        pytest.fail("the snapshot of before the upgrade was found")


def train(project: ToyProject) -> CheckpointRef:
    return train_recogniser.fn(project.dataset, RecogniserTrainingParams(), ResourceParams())


def export(project: ToyProject) -> ModelRef:
    checkpoint = CheckpointRef(key="checkpoints/c/0", digest="c", metrics={}, code="")
    return export_recogniser.fn(checkpoint, project.dataset, NAME, RecogniserTrainingParams())


@pytest.mark.parametrize("package", ["ocrline", "pillow", "opencv-contrib-python-headless"])
def test_snapshot_of_before_an_upgrade_is_not_found(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    prepare(project)

    upgrade(monkeypatch, package)

    prepare(project)


@pytest.mark.parametrize(
    ("package", "stage", "kind"),
    [
        ("ocrline", train, "train-recogniser"),
        ("paddlepaddle", train, "train-recogniser"),
        ("opencv-contrib-python-headless", train, "train-recogniser"),
        ("paddlepaddle", export, "export-recogniser"),
        ("paddle2onnx", export, "export-recogniser"),
    ],
)
def test_what_a_job_made_before_an_upgrade_is_not_found(
    project: ToyProject,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    stage: Callable[[ToyProject], object],
    kind: str,
) -> None:
    before = stage(project)
    again = stage(project)
    assert (again, made) == (before, [kind])

    upgrade(monkeypatch, package)

    assert stage(project) != before
    assert made == [kind, kind]


def test_evaluation_of_before_an_upgrade_is_not_found(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = project.add("1")
    before = project.evaluate(model)
    upgrade(monkeypatch, "onnxruntime")

    after = project.evaluate(model)

    assert after.key != before.key
