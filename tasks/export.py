"""Export a checkpoint to a bundle whose every form reads the same, and register it."""

import shutil
from pathlib import Path

from prefect import task

from configs.jobs import (
    ExportDetectorJob,
    ExportJob,
    ExportKind,
    ExportRecogniserJob,
    ExportResult,
)
from configs.training import DetectorTrainingParams, LoopParams, RecogniserTrainingParams
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import BadInput
from ocr.store.digest import stage_key
from tasks.references import CheckpointRef, ModelRef
from tasks.run.jobs import run_job
from tasks.run.narration import narrate
from tasks.run.retries import may_help
from tasks.workspace import Workspace, open_workspace


@task(name="export-recogniser", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def export_recogniser(
    checkpoint: CheckpointRef, dataset: SnapshotRef, name: str, training: RecogniserTrainingParams
) -> ModelRef:
    """Export a recogniser and register it as a version, or find the version it gave before."""
    return _find_or_export(
        ExportRecogniserJob, checkpoint, dataset=dataset, name=name, training=training
    )


@task(name="export-detector", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def export_detector(
    checkpoint: CheckpointRef, pages: SnapshotRef, name: str, training: DetectorTrainingParams
) -> ModelRef:
    """Export a detector and register it as a version, or find the version it gave before."""
    return _find_or_export(
        ExportDetectorJob, checkpoint, dataset=pages, name=name, training=training
    )


def _find_or_export(
    kind: type[ExportJob],
    checkpoint: CheckpointRef,
    *,
    dataset: SnapshotRef,
    name: str,
    training: LoopParams,
) -> ModelRef:
    workspace = open_workspace()
    stage: ExportKind = kind.model_fields["kind"].default
    key = stage_key(stage, checkpoint=checkpoint.digest, golden_from=dataset.digest, name=name)
    model = ModelRef(name=name, version=key[:12], checkpoints=(checkpoint.key,))
    job = kind(
        store=workspace.store.uri,
        snapshot=dataset.key,
        checkpoint=checkpoint.key,
        name=name,
        version=model.version,
        code_commit=checkpoint.code,
        parameters=training.model_dump(mode="json"),
        metrics=checkpoint.metrics,
    )
    cached = workspace.registry.has_version(name, model.version)
    folder = workspace.home / "jobs" / f"export-{name}-{model.version}"
    if not cached:
        _export(workspace, job, folder)
    shutil.rmtree(folder, ignore_errors=True)  # also what a run killed after its upload left
    narrate("export", f"{'found' if cached else 'exported'} {name}:{model.version}")
    return model


def _export(workspace: Workspace, job: ExportJob, folder: Path) -> None:
    try:
        result = run_job(job, folder=folder, result_type=ExportResult, on_event=lambda _: None)
        workspace.registry.register(job.name, job.version, folder / result.bundle)
    except (OSError, BadInput):  # another run was faster, and may have removed our folder
        if not workspace.registry.has_version(job.name, job.version):
            raise
