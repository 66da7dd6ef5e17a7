"""Train a recogniser in a process of its own, once per dataset and parameters."""

import shutil
from pathlib import Path

from prefect import task

from configs.jobs import TrainJob, TrainResult
from configs.training import OPERATIONAL, ResourceParams, TrainingParams
from ocr.preparation import SnapshotRef
from ocr.store.folder import seal_folder, upload_folder
from tasks.jobs import run_job
from tasks.narration import narrate
from tasks.progress import TrainingProgress
from tasks.references import CheckpointRef, content_digest
from tasks.retries import may_help
from tasks.workspace import Workspace, open_workspace

KEPT = ("metrics.jsonl", "composition.png", "result.json")


@task(name="train", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def train_model(
    dataset: SnapshotRef, training: TrainingParams, resources: ResourceParams
) -> CheckpointRef:
    """Train on a snapshot, or find the checkpoint that the same inputs gave before."""
    workspace = open_workspace()
    digest = content_digest(
        snapshot=dataset.digest,
        training=training.model_dump(exclude=set(OPERATIONAL)),
        resources=resources.model_dump(),
    )
    key = f"checkpoints/{digest}"
    cached = workspace.store.exists(f"{key}/manifest.json")
    folder = workspace.home / "jobs" / f"train-{digest[:16]}"
    if not cached:
        _train(workspace, key, folder, dataset=dataset, training=training, resources=resources)
    shutil.rmtree(folder, ignore_errors=True)  # also what a run killed after its upload left
    result = TrainResult.model_validate_json(workspace.store.read_bytes(f"{key}/result.json"))
    accuracy = result.metrics.get("accuracy", 0.0)
    how = "found" if cached else "trained"
    narrate("train", f"{how} {digest[:12]}: validation accuracy {accuracy:.4f}")
    return CheckpointRef(key=key, digest=digest, metrics=result.metrics)


def _train(
    workspace: Workspace,
    key: str,
    folder: Path,
    *,
    dataset: SnapshotRef,
    training: TrainingParams,
    resources: ResourceParams,
) -> None:
    job = TrainJob(
        store=workspace.store.uri, snapshot=dataset.key, training=training, resources=resources
    )
    with TrainingProgress() as progress:
        result = run_job(job, folder=folder, result_type=TrainResult, on_event=progress.update)
    checkpoint = folder / result.checkpoint
    for name in KEPT:
        if (folder / name).exists():
            shutil.copyfile(folder / name, checkpoint / name)
    seal_folder(checkpoint)
    upload_folder(workspace.store, checkpoint, prefix=key)
