"""Two equal runs at once: each stage makes its part once, for both."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from configs.dataset import LineDatasetParams
from configs.jobs import ExportRecogniserJob, ExportResult
from configs.training import RecogniserTrainingParams
from ocr.dataset import preparation
from ocr.evaluation.lines import evaluate
from ocr.store.folder import upload_folder
from tasks.assembling.assemble import assemble_pipeline
from tasks.export import export_recogniser
from tasks.prepare_lines import prepare_lines
from tasks.references import CheckpointRef, ModelRef
from tests.tasks.conftest import NAME, ToyProject
from tests.toy_bundle import write_toy_bundle

BUNDLE = ExportResult(kind="export-recogniser", bundle="bundle", parity={}, timings={})
PATIENCE_S = 5
Count = list[str]
"""One entry each time that something was made."""


@pytest.fixture
def pause(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let what is being made last until the other run says that it waits."""
    waits = Event()

    def hear(_: str, message: str) -> None:
        if message.startswith("waiting"):
            waits.set()

    monkeypatch.setattr("tasks.run.alone.narrate", hear)

    def last() -> None:
        waits.wait(PATIENCE_S)

    return last


def run_twice(stage: Callable[[], object]) -> tuple[object, object]:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(stage), pool.submit(stage)
        return first.result(), second.result()


def test_set_is_prepared_once(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, pause: Callable[[], None]
) -> None:
    made: Count = []

    def upload(*args: Any, **options: Any) -> None:
        made.append("snapshot")
        pause()
        upload_folder(*args, **options)

    monkeypatch.setattr(preparation, "upload_folder", upload)
    root = str(project.folder.parent / "images")
    params = LineDatasetParams(name=NAME, root=root, train_labels="labels.txt")

    first, second = run_twice(lambda: prepare_lines.fn(params, NAME).digest)

    assert first == second
    assert made == ["snapshot"]


def test_bundle_is_exported_once(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, pause: Callable[[], None]
) -> None:
    made: Count = []

    def run_job(job: ExportRecogniserJob, *, folder: Path, **_: Any) -> ExportResult:
        made.append(job.kind)
        pause()
        write_toy_bundle(folder / "bundle", name=job.name, version=job.version)
        return BUNDLE

    monkeypatch.setattr("tasks.export.run_job", run_job)
    checkpoint = CheckpointRef(key="checkpoints/c/0", digest="c", metrics={}, code="")

    first, second = run_twice(
        lambda: export_recogniser.fn(checkpoint, project.dataset, NAME, RecogniserTrainingParams())
    )

    assert first == second
    assert made == ["export-recogniser"]


def test_pipeline_is_assembled_once(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, pause: Callable[[], None]
) -> None:
    made: Count = []

    def assemble(_: object, folder: Path, *, name: str, version: str, **__: Any) -> None:
        made.append(version)
        pause()
        write_toy_bundle(folder, name=name, version=version)

    monkeypatch.setattr("tasks.assembling.assemble._assemble", assemble)
    detector = ModelRef(name="a-detector", version="1", checkpoints=())
    recogniser = ModelRef(name="a-recogniser", version="1", checkpoints=())

    first, second = run_twice(
        lambda: assemble_pipeline.fn("a", detector, recogniser, project.dataset)
    )

    assert first == second
    assert len(made) == 1


def test_candidate_is_measured_once(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, pause: Callable[[], None]
) -> None:
    made: Count = []

    def measure(*given: Any, **inputs: Any) -> Any:
        made.append("report")
        pause()
        return evaluate.evaluate_lines(*given, **inputs)

    monkeypatch.setattr("tasks.evaluate.measure_lines", measure)
    model = project.add("1")

    first, second = run_twice(lambda: project.evaluate(model))

    assert first == second
    assert made == ["report"]
