"""A short training before a full one: the same code, data, net and engine, exported and proven.

Its mark is an object in the store, under the digest of the code, the snapshot and the parameters
that matter: what passed once is not tried again.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from prefect import task

from configs.jobs import (
    ExportDetectorJob,
    ExportJob,
    ExportRecogniserJob,
    ExportResult,
    TrainJob,
    what_decides,
)
from configs.paddleocr import DetectorTraining, RecogniserTraining, Training, TrainingField
from configs.training import ResourceParams
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.part import take_part
from ocr.dataset.snapshot.snapshot import MANIFEST
from ocr.errors import ArtifactExists, OcrError
from ocr.models.provenance import describe_code
from ocr.store.digest import library_versions, stage_key
from tasks.references import CheckpointRef
from tasks.run.alone import alone
from tasks.run.jobs import run_job
from tasks.run.narration import narrate
from tasks.run.progress import Net
from tasks.run.retries import may_help
from tasks.train import find_or_train, make_job
from tasks.workspace import Workspace, open_workspace

EPOCHS = 3
BATCH_SIZE = 16
MOST_SAMPLES = 1000
EXPORTS: dict[Net, type[ExportJob]] = {
    "recogniser": ExportRecogniserJob,
    "detector": ExportDetectorJob,
}


@task(name="smoke-recogniser", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def smoke_recogniser(
    dataset: SnapshotRef,
    training: RecogniserTraining,
    resources: ResourceParams,
    field: TrainingField = "training",
) -> str:
    """Try whether a recogniser can be trained and exported, or find that it could; the mark's key.

    Raises:
        OcrError: It cannot; the message says that the smoke did.
    """
    return _find_or_smoke("recogniser", dataset, training, resources, field)


@task(name="smoke-detector", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def smoke_detector(
    pages: SnapshotRef, training: DetectorTraining, resources: ResourceParams
) -> str:
    """Try whether a detector can be trained and exported, or find that it could; the mark's key.

    Raises:
        OcrError: It cannot; the message says that the smoke did.
    """
    return _find_or_smoke("detector", pages, training, resources, "detector")


def shorten(training: Training) -> Training:
    """Return a training of the same net by the same engine that ends soon."""
    short = {
        "epochs": min(EPOCHS, training.epochs),
        "batch_size": min(BATCH_SIZE, training.batch_size),  # what fits in full fits here
        "evaluations": 1,
        "patience": 0,
    }
    return training.model_copy(update=short)


def _find_or_smoke(
    net: Net,
    dataset: SnapshotRef,
    training: Training,
    resources: ResourceParams,
    field: TrainingField,
) -> str:
    workspace, short = open_workspace(), shorten(training)
    whole = make_job(workspace, dataset, short, resources)
    key = f"smokes/{_digest(whole, net)}.json"
    with alone(workspace.home, f"smoke-{key[7:23]}", stage="smoke") as place:
        if workspace.store.exists(key):
            narrate("smoke", f"{net}: this code and data passed before")
            return key
        with place.emptied() as folder, _saying_what_failed(net):
            part = take_part(workspace.store, dataset.key, most=MOST_SAMPLES, work_folder=folder)
            job = whole.model_copy(update={"snapshot": part})
            images = _train_images(workspace, part)
            if epochs := short.epochs:
                said = f"{epochs} epochs of {images} samples before the full training"
                narrate("smoke", f"{net}: {said}")
            code = describe_code(job.kind)["code"]
            checkpoint = find_or_train(
                workspace, job, net=net, field=field, images=images, only_of=code
            )
            export = _make_export(workspace, net, job, checkpoint)
            result = run_job(
                export,
                folder=folder / "export",
                result_type=ExportResult,
                on_event=lambda _: None,
                inherit=[place.lock],
            )
        mark = {"snapshot": dataset.key, "code": checkpoint.code, "checkpoint": checkpoint.key}
        with suppress(ArtifactExists):  # another machine was faster
            workspace.store.put_bytes(key, json.dumps(mark).encode())
    forms = ", ".join(result.parity)
    narrate("smoke", f"{net}: passed; {forms} read as the checkpoint does")
    return key


def _digest(job: TrainJob, net: Net) -> str:
    export = EXPORTS[net].model_fields["kind"].default
    forms: dict[str, Any] = {"int8": True} if job.training.int8 else {}  # older keys name none
    return stage_key(
        job.kind,
        **what_decides(job),
        code=describe_code(job.kind)["code"],
        export=library_versions(export),
        most_samples=MOST_SAMPLES,
        **forms,
    )


def _make_export(
    workspace: Workspace, net: Net, job: TrainJob, checkpoint: CheckpointRef
) -> ExportJob:
    own = {"text_model": getattr(job.training, "text_model", False)} if net == "recogniser" else {}
    return EXPORTS[net](
        store=workspace.store.uri,
        snapshot=job.snapshot,
        checkpoint=checkpoint.key,
        name="smoke",
        version=checkpoint.digest[:12],
        code_commit=checkpoint.code,
        parameters=job.training.model_dump(mode="json"),
        metrics=checkpoint.metrics,
        int8=job.training.int8,
        resources=job.resources,
        **own,
    )


def _train_images(workspace: Workspace, key: str) -> int:
    manifest = workspace.store.read_bytes(f"{key}/{MANIFEST}")
    return SnapshotManifest.from_bytes(manifest).counts["train"]


@contextmanager
def _saying_what_failed(net: Net) -> Iterator[None]:
    try:
        yield
    except OcrError as error:
        error.args = (f"the smoke of the {net} failed, nothing was trained in full: {error}",)
        raise
