"""Export a checkpoint to a bundle whose every form reads the same, and register it."""

import shutil
import subprocess
from pathlib import Path

from prefect import task

from configs.jobs import ExportJob, ExportResult
from configs.retrain import RetrainParams
from ocr.preparation import SnapshotRef
from tasks.jobs import run_job
from tasks.narration import narrate
from tasks.references import CheckpointRef, ModelRef, content_digest
from tasks.retries import may_help
from tasks.workspace import Workspace, open_workspace


@task(name="export", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def export_model(
    checkpoint: CheckpointRef, dataset: SnapshotRef, params: RetrainParams
) -> ModelRef:
    """Export a checkpoint and register it as a version, or find the version it gave before."""
    workspace = open_workspace()
    digest = content_digest(checkpoint=checkpoint.digest, name=params.name)
    model = ModelRef(name=params.name, version=digest[:12], checkpoint=checkpoint.key)
    cached = workspace.store.exists(f"models/{model.name}/{model.version}/manifest.json")
    folder = workspace.home / "jobs" / f"export-{model.name}-{model.version}"
    if not cached:
        _export(workspace, model, folder, checkpoint=checkpoint, dataset=dataset, params=params)
    shutil.rmtree(folder, ignore_errors=True)  # also what a run killed after its upload left
    narrate("export", f"{'found' if cached else 'exported'} {model.name}:{model.version}")
    return model


def _export(
    workspace: Workspace,
    model: ModelRef,
    folder: Path,
    *,
    checkpoint: CheckpointRef,
    dataset: SnapshotRef,
    params: RetrainParams,
) -> None:
    registry = workspace.registry
    champion = registry.champion(model.name)
    job = ExportJob(
        store=workspace.store.uri,
        snapshot=dataset.key,
        checkpoint=checkpoint.key,
        name=model.name,
        version=model.version,
        parent=champion.version if champion else "",
        code_commit=_code_commit(),
        parameters=params.training.model_dump(mode="json"),
        metrics=checkpoint.metrics,
    )
    result = run_job(job, folder=folder, result_type=ExportResult, on_event=lambda _: None)
    registry.register(model.name, model.version, folder / result.bundle)


def _code_commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.strip()
