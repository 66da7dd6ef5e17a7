"""What an export makes of what another run did meanwhile; the export itself is the trainer's."""

from pathlib import Path
from typing import Any

import pytest

from configs.jobs import ExportRecogniserJob, ExportResult
from configs.paddleocr import PaddleOcrRecogniserParams, RecogniserTraining
from configs.training import RecogniserTrainingParams
from ocr.errors import BadInput
from tasks.export import export_recogniser
from tasks.references import CheckpointRef, ModelRef
from tests.tasks.conftest import NAME, ToyProject
from tests.toy_bundle import write_toy_bundle

RESULT = ExportResult(kind="export-recogniser", bundle="bundle", parity={}, timings={})


def export(project: ToyProject, training: RecogniserTraining | None = None) -> ModelRef:
    checkpoint = CheckpointRef(key="checkpoints/c", digest="c", metrics={}, code="c0ffee-dirty")
    given = training or RecogniserTrainingParams()
    return export_recogniser.fn(checkpoint, project.dataset, NAME, given)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[ExportRecogniserJob]:
    """The exports that were started; each leaves a bundle."""
    jobs: list[ExportRecogniserJob] = []

    def note(job: ExportRecogniserJob, *, folder: Path, **_: Any) -> ExportResult:
        jobs.append(job)
        write_toy_bundle(folder / "bundle", name=job.name, version=job.version)
        return RESULT

    monkeypatch.setattr("tasks.export.run_job", note)
    return jobs


def test_bundle_of_another_machine_that_was_faster_counts(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_overtaken(job: ExportRecogniserJob, *, folder: Path, **_: Any) -> ExportResult:
        for created, place in (("2026-11-21", folder.parent / "other"), ("2026-11-22", folder)):
            bundle = write_toy_bundle(
                place / "bundle",
                name=job.name,
                version=job.version,
                created=f"{created}T00:00:00Z",
            )
            if place != folder:
                project.registry.register(job.name, job.version, bundle)
        return RESULT

    monkeypatch.setattr("tasks.export.run_job", be_overtaken)

    model = export(project)

    assert project.registry.versions(NAME) == [model.version]
    kept = project.registry.version(NAME, model.version)
    assert kept.created == "2026-11-21T00:00:00Z"


def test_the_code_that_trained_it_is_named_and_no_champion_as_its_parent(
    project: ToyProject, jobs: list[ExportRecogniserJob]
) -> None:
    project.add("v1")
    project.promote("v1")

    export(project)

    assert jobs[0].code_commit == "c0ffee-dirty"
    assert "v1" not in jobs[0].model_dump_json()


@pytest.mark.parametrize(
    ("start", "parent"), [(f"model:{NAME}:v1", "v1"), (f"model:{NAME}s:v1", ""), ("/weights", "")]
)
def test_the_version_that_a_training_started_from_is_the_parent(
    project: ToyProject, jobs: list[ExportRecogniserJob], start: str, parent: str
) -> None:
    export(project, PaddleOcrRecogniserParams(pretrained=start, pretrained_sha256="0" * 64))

    assert jobs[0].parent == parent


def test_equal_weights_of_two_starts_are_two_versions(
    project: ToyProject, jobs: list[ExportRecogniserJob]
) -> None:
    starts = [f"model:{NAME}:v1", f"model:{NAME}:v2", "/a", "/b"]
    made = [
        export(project, PaddleOcrRecogniserParams(pretrained=start, pretrained_sha256="0" * 64))
        for start in starts
    ]

    assert [job.parent for job in jobs] == ["v1", "v2", ""]  # a path is no version
    assert made[2] == made[3]


@pytest.mark.parametrize("error", [FileNotFoundError("bundle"), BadInput("No checkpoint")])
def test_failure_stays_one_where_nobody_else_made_the_bundle(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any, **__: Any) -> ExportResult:
        raise error

    monkeypatch.setattr("tasks.export.run_job", fail)

    with pytest.raises(type(error), match=str(error)):
        export(project)
