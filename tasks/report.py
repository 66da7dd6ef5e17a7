"""The report of a judgement: where it is kept, and what it says of the model's making."""

import json
from dataclasses import replace
from pathlib import Path

from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext

from configs.base import Params
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.models.bundle import ModelManifest
from ocr.report import Lineage
from tasks.references import EvaluationRef, content_digest
from tasks.workspace import Workspace


def keep_report(
    workspace: Workspace, evaluation: EvaluationRef, gate: Params, *, html: str, markdown: str
) -> Path:
    """Keep a report in the store and on this machine, and show its short form in the UI."""
    digest = content_digest(evaluation=evaluation.key, gate=gate.model_dump(), html=html)
    workspace.store.put_bytes(f"reports/{digest}.html", html.encode())
    model = evaluation.model
    path = workspace.home / "reports" / f"{model.name}-{model.version}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(html, encoding="utf-8")
    if TaskRunContext.get() is not None:
        create_markdown_artifact(markdown, key="decision")
    return path


def describe_lineage(
    evaluation: EvaluationRef, manifest: ModelManifest, snapshot: SnapshotManifest
) -> Lineage:
    """Say what a version was made of and measured on."""
    return replace(
        describe_part(manifest),
        dataset=evaluation.dataset,
        splits={split: snapshot.counts[split] for split in ("train", "val", "test")},
        quarantine=snapshot.quarantine,
    )


def describe_part(manifest: ModelManifest) -> Lineage:
    """Say what a version was made of."""
    return Lineage(
        model=manifest.name,
        version=manifest.version,
        parent=manifest.parent,
        created=manifest.created,
        code_commit=manifest.code_commit,
        dataset_digest=manifest.dataset_digest,
        parameters=manifest.parameters,
    )


def read_curves(workspace: Workspace, checkpoint: str) -> list[dict[str, object]]:
    """Read the events of the training that a checkpoint came from."""
    lines = read_if_any(workspace, f"{checkpoint}/metrics.jsonl").decode().splitlines()
    return [json.loads(line) for line in lines]


def read_if_any(workspace: Workspace, key: str) -> bytes:
    """Read an object of the store; nothing where there is none."""
    return workspace.store.read_bytes(key) if workspace.store.exists(key) else b""
