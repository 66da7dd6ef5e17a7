"""What both judgements share: the training's curves, the report that is kept, and its end."""

import json
from hashlib import sha256

from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext

from configs.jobs import TrainResult
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.report import PagesReport
from ocr.gate.judge import Decision
from ocr.lineage.decision import KeptDecision, keep_decision, name_test_set
from ocr.report.summary import Summary
from tasks.judging.further import say_further
from tasks.judging.nets import name_nets
from tasks.notifying.occasions import tell_judgement
from tasks.references import EvaluationRef, JudgementRef
from tasks.run.jobs import USAGE
from tasks.run.narration import narrate
from tasks.run.usage import read_record
from tasks.workspace import Workspace


def conclude(
    workspace: Workspace,
    evaluation: EvaluationRef,
    report: LinesReport | PagesReport,
    decision: Decision,
    summary: Summary,
    *,
    html: str,
    markdown: str,
) -> JudgementRef:
    """Keep report and decision, show their short form in the UI, say the verdict."""
    digest = sha256(html.encode()).hexdigest()
    of = evaluation.key.rpartition("/")[2]
    kept = f"reports/{of}/{digest}.html"
    workspace.store.put_bytes(kept, html.encode())
    model = evaluation.model
    _keep(workspace, evaluation, report, decision, page=kept)
    path = workspace.home / "reports" / f"{model.name}-{model.version}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(html, encoding="utf-8")
    if TaskRunContext.get() is not None:
        create_markdown_artifact(markdown, key="decision")
    if _shares_nets(workspace, evaluation):
        said = "are of the same trained nets: they differ in what was exported or chosen of them"
        narrate("judge", f"candidate and champion {said}")
    for warning in decision.warnings:
        narrate("judge", f"warning: {warning}")
    say_further(decision.further)
    narrate("judge", f"{decision.verdict}: {decision.reasons[0]}")
    judgement = JudgementRef(
        verdict=decision.verdict,
        accepted=decision.accepted,
        reasons=tuple(decision.reasons),
        report=str(path),
        summary=summary,
    )
    tell_judgement(model.reference, judgement)
    return judgement


def _shares_nets(workspace: Workspace, evaluation: EvaluationRef) -> bool:
    """Say whether the champion is another version of the candidate's nets."""
    model, champion = evaluation.model, evaluation.champion
    if champion in (None, model.version):
        return False
    nets = (name_nets(workspace.registry, model.name, each) for each in (model.version, champion))
    return len(set(nets)) == 1


def _keep(
    workspace: Workspace,
    evaluation: EvaluationRef,
    report: LinesReport | PagesReport,
    decision: Decision,
    *,
    page: str,
) -> None:
    test_set, samples = name_test_set(report)
    keep_decision(
        workspace.store,
        KeptDecision(
            model=evaluation.model.name,
            version=evaluation.model.version,
            at=decision.latency.measured,
            verdict=decision.verdict,
            reasons=tuple(decision.reasons),
            opponent=evaluation.opponent,
            champion=evaluation.champion or "",
            dataset=evaluation.dataset,
            test_set=test_set,
            samples=samples,
            metrics=report.candidate.intervals,
            opponent_metrics=report.opponent.intervals if report.opponent else {},
            latency_ms=decision.latency.candidate.median_ms,
            evaluation=evaluation.key,
            report=page,
        ),
    )


def read_curves(workspace: Workspace, checkpoint: str) -> list[dict[str, object]]:
    """Read the events of the training that a checkpoint came from."""
    lines = read_if_any(workspace, f"{checkpoint}/metrics.jsonl").decode().splitlines()
    return [json.loads(line) for line in lines]


def read_environment(workspace: Workspace, checkpoint: str) -> dict[str, str]:
    """Read on what the training of a checkpoint ran and what it took, as far as that is kept."""
    if not checkpoint:
        return {}
    result = read_if_any(workspace, f"{checkpoint}/result.json")
    environment = TrainResult.model_validate_json(result).environment if result else {}
    record = read_record(read_if_any(workspace, f"{checkpoint}/{USAGE}"))
    return environment | (record.said() if record else {})


def read_if_any(workspace: Workspace, key: str) -> bytes:
    """Read an object of the store; nothing where there is none."""
    return workspace.store.read_bytes(key) if workspace.store.exists(key) else b""
