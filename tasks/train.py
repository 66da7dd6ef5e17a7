"""Train a net in a process of its own, once per dataset and parameters."""

import shutil
from typing import Any

from prefect import task

from configs.jobs import (
    TrainDetectorJob,
    TrainJob,
    TrainPaddleOcrDetectorJob,
    TrainPaddleOcrRecogniserJob,
    TrainRecogniserJob,
    TrainResult,
    what_decides,
)
from configs.paddleocr import (
    DetectorTraining,
    PaddleOcrDetectorParams,
    PaddleOcrParams,
    PaddleOcrRecogniserParams,
    RecogniserTraining,
    Training,
    TrainingField,
)
from configs.training import DetectorTrainingParams, RecogniserTrainingParams, ResourceParams
from ocr.dataset.preparation import SnapshotRef
from ocr.lineage.documents import LEARNT_FROM
from ocr.store.digest import stage_key
from ocr.store.folder import find_published, mark_used, publish_folder, seal_folder
from tasks.engine import find_runtime
from tasks.references import CheckpointRef
from tasks.run.alone import Place, alone
from tasks.run.jobs import run_job
from tasks.run.narration import narrate
from tasks.run.progress import SCORES, Net, TrainingProgress
from tasks.run.retries import may_help
from tasks.run.usage import describe_training, expect, keep_record
from tasks.workspace import Workspace, open_workspace

JOBS: dict[type[Training], type[TrainJob]] = {
    RecogniserTrainingParams: TrainRecogniserJob,
    DetectorTrainingParams: TrainDetectorJob,
    PaddleOcrRecogniserParams: TrainPaddleOcrRecogniserJob,
    PaddleOcrDetectorParams: TrainPaddleOcrDetectorJob,
}
KEPT = ("metrics.jsonl", "composition.png", "result.json")


@task(name="train-recogniser", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def train_recogniser(
    dataset: SnapshotRef,
    training: RecogniserTraining,
    resources: ResourceParams,
    field: TrainingField = "training",
) -> CheckpointRef:
    """Train a recogniser on a snapshot, or find the checkpoint that the same inputs gave before."""
    workspace = open_workspace()
    job = make_job(workspace, dataset, training, resources)
    return find_or_train(workspace, job, net="recogniser", field=field, images=_images(dataset))


@task(name="train-detector", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def train_detector(
    pages: SnapshotRef, training: DetectorTraining, resources: ResourceParams
) -> CheckpointRef:
    """Train a detector on a page snapshot, or find the checkpoint of the same inputs."""
    workspace = open_workspace()
    job = make_job(workspace, pages, training, resources)
    return find_or_train(workspace, job, net="detector", field="detector", images=_images(pages))


def _images(snapshot: SnapshotRef) -> int:
    return snapshot.counts.get("train", 0)


def make_job(
    workspace: Workspace, snapshot: SnapshotRef, training: Training, resources: ResourceParams
) -> TrainJob:
    """Return the job of the net and the engine that a training is for."""
    said: dict[str, Any] = {
        "store": workspace.store.uri,
        "snapshot": snapshot.key,
        "training": training,
        "resources": resources,
    }
    if isinstance(training, PaddleOcrParams):
        said["runtime"] = find_runtime(resources.image, training)
    return JOBS[type(training)](**said)


def find_or_train(
    workspace: Workspace,
    job: TrainJob,
    *,
    net: Net,
    field: TrainingField,
    images: int,
    only_of: str = "",
) -> CheckpointRef:
    """Do a training job, or find the checkpoint that the same inputs gave before.

    With ``only_of`` that of the same code as well: a smoke is there to try the code.
    """
    of_code = {"code": only_of} if only_of else {}
    digest = stage_key(job.kind, **what_decides(job), **of_code)
    key = f"checkpoints/{digest}"
    with alone(workspace.home, f"train-{digest[:16]}", stage="train") as place:
        mark_used(workspace.store, prefix=key)
        found = find_published(workspace.store, key=key)
        prefix = found or _train(
            workspace, key, place, job=job, net=net, field=field, images=images
        )
        shutil.rmtree(place.folder, ignore_errors=True)  # also what a killed run left
    result = TrainResult.model_validate_json(workspace.store.read_bytes(f"{prefix}/result.json"))
    score = SCORES[net]
    said = f"{net} {digest[:12]}: validation {score} {result.metrics.get(score, 0.0):.4f}"
    made = "trained" if job.training.epochs else "took in"
    narrate("train", f"{'found' if found else made} {said}")
    code = result.environment.get("code", "")
    return CheckpointRef(key=prefix, digest=digest, metrics=result.metrics, code=code)


def _train(
    workspace: Workspace,
    key: str,
    place: Place,
    *,
    job: TrainJob,
    net: Net,
    field: TrainingField,
    images: int,
) -> str:
    folder = place.folder
    what = describe_training(job.training, job.resources, images=images)
    expected = expect(workspace.store, what)
    epochs = job.training.epochs
    learns = f"learns {images} images, {epochs} times over"
    narrate("train", f"{net} {learns if epochs else 'is taken as it was trained elsewhere'}")
    with TrainingProgress(net, field) as progress:
        result = run_job(
            job,
            folder=folder,
            result_type=TrainResult,
            on_event=progress.update,
            inherit=[place.lock],
            field=field,
        )
    checkpoint = folder / result.checkpoint
    record = keep_record(
        folder,
        result,
        training=what,
        resources=job.resources,
        expected=expected,
        key=key,
        beside=1 if field != "training" and job.resources.nodes == 1 else 0,  # of pages, both nets
    )
    if record is not None:
        narrate("train", f"{net}: {'; '.join(f'{k} {v}' for k, v in record.said().items())}")
    for name in KEPT:
        if (folder / name).exists():
            shutil.copyfile(folder / name, checkpoint / name)
    (checkpoint / LEARNT_FROM).write_text(job.snapshot, encoding="utf-8")
    seal_folder(checkpoint)
    return publish_folder(workspace.store, checkpoint, key=key)
