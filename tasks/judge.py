"""Apply the gate to an evaluation, and write the report a person reads."""

import json
from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext

from configs.gate import GateParams
from ocr.bundle import BundleManifest, read_manifest
from ocr.evaluation.evaluation_report import EvaluationReport
from ocr.gate import Decision, GateRules, collect_evidence, judge
from ocr.image import Image
from ocr.report import Lineage, choose_lines, render_html, render_markdown
from ocr.snapshot import Snapshot
from tasks.narration import narrate
from tasks.references import (
    EvaluationRef,
    JudgementRef,
    ModelRef,
    content_digest,
)
from tasks.workspace import Workspace, open_workspace

GALLERY = 60


@task(name="judge")
def judge_candidate(evaluation: EvaluationRef, gate: GateParams) -> JudgementRef:
    """Decide whether the candidate may replace the champion; a refusal is a result."""
    workspace = open_workspace()
    model = evaluation.model
    bundle = workspace.fetch_bundle(workspace.registry.version(model.name, model.version))
    manifest = read_manifest(bundle)
    report = EvaluationReport.from_json(workspace.store.read_bytes(f"{evaluation.key}/report.json"))
    evidence = collect_evidence(
        report,
        size_mb=(bundle / "onnx" / "model.onnx").stat().st_size / 1e6,
        has_parity=bool(manifest.parity),
        opponent=evaluation.opponent if ":" in evaluation.opponent else "",
        was_rolled_back=_was_rolled_back(workspace, model),
    )
    decision = judge(evidence, GateRules(**gate.model_dump()))
    path = _write_report(
        workspace, evaluation, gate, report=report, decision=decision, manifest=manifest
    )
    narrate("judge", f"{decision.verdict}: {decision.reasons[0]}")
    return JudgementRef(
        verdict=decision.verdict,
        accepted=decision.accepted,
        reasons=tuple(decision.reasons),
        report=str(path),
    )


def _was_rolled_back(workspace: Workspace, model: ModelRef) -> bool:
    """Say whether a person took this version back; an undone deployment may retry."""
    history = workspace.registry.history(model.name)
    moves = [move for move in history if model.version in (move.version, move.previous)]
    return bool(moves and moves[-1].action == "rollback" and moves[-1].previous == model.version)


def _write_report(
    workspace: Workspace,
    evaluation: EvaluationRef,
    gate: GateParams,
    *,
    report: EvaluationReport,
    decision: Decision,
    manifest: BundleManifest,
) -> Path:
    snapshot = workspace.fetch_snapshot(evaluation.dataset)
    checkpoint = evaluation.model.checkpoint
    html = render_html(
        report,
        decision,
        images=_read_gallery(snapshot, report),
        lineage=_describe(evaluation, manifest, snapshot),
        curves=_read_curves(workspace, checkpoint),
        composition_png=_read_if_any(workspace, f"{checkpoint}/composition.png"),
        gallery=GALLERY,
    )
    digest = content_digest(evaluation=evaluation.key, gate=gate.model_dump(), html=html)
    workspace.store.put_bytes(f"reports/{digest}.html", html.encode())
    path = workspace.home / "reports" / f"{manifest.name}-{manifest.version}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(html, encoding="utf-8")
    if TaskRunContext.get() is not None:
        markdown = render_markdown(report, decision, title=f"{manifest.name}:{manifest.version}")
        create_markdown_artifact(markdown, key="decision")
    return path


def _read_gallery(snapshot: Snapshot, report: EvaluationReport) -> dict[str, Image]:
    wanted = {line.id for lines in choose_lines(report, most=GALLERY).values() for line in lines}
    return {row.id: image for row, image in snapshot.images("test") if row.id in wanted}


def _describe(evaluation: EvaluationRef, manifest: BundleManifest, snapshot: Snapshot) -> Lineage:
    counts = snapshot.manifest.counts
    return Lineage(
        model=manifest.name,
        version=manifest.version,
        parent=manifest.parent,
        created=manifest.created,
        code_commit=manifest.code_commit,
        dataset=evaluation.dataset,
        dataset_digest=manifest.dataset_digest,
        splits={split: counts[split] for split in ("train", "val", "test")},
        quarantine=snapshot.manifest.quarantine,
        parameters=manifest.parameters,
    )


def _read_curves(workspace: Workspace, checkpoint: str) -> list[dict[str, object]]:
    lines = _read_if_any(workspace, f"{checkpoint}/metrics.jsonl").decode().splitlines()
    return [json.loads(line) for line in lines]


def _read_if_any(workspace: Workspace, key: str) -> bytes:
    return workspace.store.read_bytes(key) if workspace.store.exists(key) else b""
