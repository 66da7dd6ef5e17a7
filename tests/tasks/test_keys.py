"""What is found again, and what is made anew after an upgrade."""

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from configs.dataset import LineDatasetParams
from configs.jobs import ExportRecogniserJob, ExportResult, TrainRecogniserJob, TrainResult
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.dataset.labels.text_rule import USUAL
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import MANIFEST
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


def find_or_prepare(project: ToyProject) -> SnapshotRef:
    root = project.folder.parent / "images"
    params = LineDatasetParams(
        name=NAME, source="paddleocr", root=str(root), train_labels="labels.txt"
    )
    return prepare_lines.fn(params, NAME)


def put_manifest_of_before(store: Path, made: SnapshotRef) -> None:
    """Leave a snapshot as releases did whose manifests said neither how texts were written nor
    what the test split is, under the digest of what they said.
    """
    manifest = json.loads((store / made.key / MANIFEST).read_bytes())
    kept = {key: manifest[key] for key in ("counts", "quarantine", "charset_size", "files")}
    text = json.dumps({"format": manifest["format"], **kept}, sort_keys=True)
    digest = sha256(text.encode()).hexdigest()
    folder = store / made.key
    folder.rename(folder.with_name(digest))
    facts = {"name": manifest["name"], "task": manifest["task"], "digest": digest}
    before = {"format": manifest["format"], **kept, **facts}
    (folder.with_name(digest) / MANIFEST).write_text(json.dumps(before))
    shutil.rmtree(folder.parent / "inputs")


def train(project: ToyProject) -> CheckpointRef:
    return train_recogniser.fn(project.dataset, RecogniserTrainingParams(), ResourceParams())


def export(project: ToyProject) -> ModelRef:
    checkpoint = CheckpointRef(key="checkpoints/c/0", digest="c", metrics={}, code="")
    return export_recogniser.fn(checkpoint, project.dataset, NAME, RecogniserTrainingParams())


@pytest.mark.usefixtures("made")
def test_what_is_learnt_is_said_where_it_is_not_found(
    project: ToyProject, capsys: pytest.CaptureFixture[str]
) -> None:
    train(project)
    first = capsys.readouterr().err
    train(project)

    images = project.dataset.counts["train"]
    assert f"recogniser learns {images} images, 20 times over" in first
    assert "learns" not in capsys.readouterr().err


@pytest.mark.parametrize("package", ["ocrline", "pillow", "opencv-contrib-python-headless"])
def test_snapshot_of_before_an_upgrade_is_not_found(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    assert not find_or_prepare(project).cached

    upgrade(monkeypatch, package)

    assert not find_or_prepare(project).cached


def test_snapshot_of_an_earlier_release_does_not_stand_in_for_one_that_says_more(
    project: ToyProject,
) -> None:
    store = Path(project.registry.store.uri.removeprefix("file://"))
    put_manifest_of_before(store, find_or_prepare(project))

    made, found = find_or_prepare(project), find_or_prepare(project)

    assert (made.cached, found.cached) == (False, True)
    assert found.test_digest == made.test_digest != ""
    kept = SnapshotManifest.from_bytes((store / found.key / MANIFEST).read_bytes())
    assert kept.texts == USUAL


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


def test_a_bundle_that_is_proved_with_fewer_images_is_another(
    project: ToyProject, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = export(project)
    monkeypatch.setattr(ExportRecogniserJob.model_fields["golden_images"], "default", 3)

    assert export(project) != before
    assert len(made) == 2


def test_reading_without_a_text_model_is_another_bundle_of_the_same_training(
    project: ToyProject, made: list[str]
) -> None:
    without = RecogniserTrainingParams(text_model=False)
    trained = train(project)
    exported = export(project)

    again = train_recogniser.fn(project.dataset, without, ResourceParams())
    checkpoint = CheckpointRef(key="checkpoints/c/0", digest="c", metrics={}, code="")
    other = export_recogniser.fn(checkpoint, project.dataset, NAME, without)

    assert (again, other == exported) == (trained, False)
    assert made == ["train-recogniser", "export-recogniser", "export-recogniser"]


def test_reading_in_8_bits_is_another_bundle_of_the_same_training(
    project: ToyProject, made: list[str]
) -> None:
    small = RecogniserTrainingParams(int8=True)
    trained = train(project)
    exported = export(project)

    again = train_recogniser.fn(project.dataset, small, ResourceParams())
    checkpoint = CheckpointRef(key="checkpoints/c/0", digest="c", metrics={}, code="")
    other = export_recogniser.fn(checkpoint, project.dataset, NAME, small)

    assert (again, other == exported) == (trained, False)
    assert made == ["train-recogniser", "export-recogniser", "export-recogniser"]


def test_evaluation_of_before_an_upgrade_is_not_found(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = project.add("1")
    before = project.evaluate(model)
    upgrade(monkeypatch, "onnxruntime")

    after = project.evaluate(model)

    assert after.key != before.key
