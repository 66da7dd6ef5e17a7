"""Export a checkpoint to a bundle whose every form reads the same, and register it."""

import shutil
from contextlib import suppress
from typing import Any

from prefect import task

from configs.jobs import (
    ExportDetectorJob,
    ExportJob,
    ExportKind,
    ExportRecogniserJob,
    ExportResult,
)
from configs.paddleocr import (
    REGISTERED,
    DetectorTraining,
    PaddleOcrParams,
    RecogniserTraining,
    Training,
)
from configs.training import ResourceParams
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import ArtifactExists
from ocr.store.digest import stage_key
from ocr.store.folder import mark_used
from tasks.references import CheckpointRef, ModelRef
from tasks.run.alone import Place, alone
from tasks.run.jobs import run_job
from tasks.run.narration import narrate
from tasks.run.retries import may_help
from tasks.workspace import Workspace, open_workspace

AS_PROCESS = ResourceParams()


@task(name="export-recogniser", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def export_recogniser(
    checkpoint: CheckpointRef,
    dataset: SnapshotRef,
    name: str,
    training: RecogniserTraining,
    resources: ResourceParams = AS_PROCESS,
) -> ModelRef:
    """Export a recogniser and register it as a version, or find the version it gave before."""
    return _find_or_export(
        ExportRecogniserJob,
        checkpoint,
        dataset=dataset,
        name=name,
        training=training,
        resources=resources,
        text_model=training.text_model,
    )


@task(name="export-detector", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def export_detector(
    checkpoint: CheckpointRef,
    pages: SnapshotRef,
    name: str,
    training: DetectorTraining,
    resources: ResourceParams = AS_PROCESS,
) -> ModelRef:
    """Export a detector and register it as a version, or find the version it gave before."""
    return _find_or_export(
        ExportDetectorJob,
        checkpoint,
        dataset=pages,
        name=name,
        training=training,
        resources=resources,
    )


def _find_or_export(
    kind: type[ExportJob],
    checkpoint: CheckpointRef,
    *,
    dataset: SnapshotRef,
    name: str,
    training: Training,
    resources: ResourceParams,
    **own: Any,
) -> ModelRef:
    """Find or export a version; `own` is what a job of this kind says besides."""
    workspace = open_workspace()
    stage: ExportKind = kind.model_fields["kind"].default
    parent = _parent(training, name)
    lineage = {"parent": parent} if parent else {}  # equal weights of two versions have two
    forms: dict[str, Any] = {"int8": True} if training.int8 else {}  # older keys name none
    key = stage_key(
        stage,
        checkpoint=checkpoint.digest,
        golden_from=dataset.digest,
        golden=kind.model_fields["golden_images"].default,
        name=name,
        **own,
        **lineage,
        **forms,
    )
    model = ModelRef(name=name, version=key[:12], checkpoints=(checkpoint.key,))
    job = kind(
        store=workspace.store.uri,
        snapshot=dataset.key,
        checkpoint=checkpoint.key,
        name=name,
        version=model.version,
        code_commit=checkpoint.code,
        parent=parent,
        parameters=training.model_dump(mode="json"),
        metrics=checkpoint.metrics,
        int8=training.int8,
        resources=resources,
        **own,
    )
    with alone(workspace.home, f"export-{name}-{model.version}", stage="export") as place:
        mark_used(workspace.store, prefix=f"models/{name}/{model.version}")
        cached = workspace.registry.has_version(name, model.version)
        if not cached:
            _export(workspace, job, place)
        shutil.rmtree(place.folder, ignore_errors=True)  # also what a killed run left
    narrate("export", f"{'found' if cached else 'exported'} {name}:{model.version}")
    return model


def _parent(training: Training, name: str) -> str:
    """Return the version of this model that a training started from; empty: none."""
    if not isinstance(training, PaddleOcrParams):
        return ""
    start = f"{REGISTERED}{name}:"
    return training.pretrained.removeprefix(start) if training.pretrained.startswith(start) else ""


def _export(workspace: Workspace, job: ExportJob, place: Place) -> None:
    result = run_job(
        job,
        folder=place.folder,
        result_type=ExportResult,
        on_event=lambda _: None,
        inherit=[place.lock],
    )
    with suppress(ArtifactExists):  # another machine was faster; what it made counts
        workspace.registry.register(job.name, job.version, place.folder / result.bundle)
