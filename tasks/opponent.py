"""Whom a candidate meets, and what came of it."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Protocol

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.dataset.preparation import SnapshotRef
from ocr.models.alias import AliasState
from tasks.narration import narrate
from tasks.references import EvaluationRef, ModelRef, content_digest
from tasks.workspace import Workspace


class Report(Protocol):
    """What an evaluation measured."""

    def to_json(self) -> bytes:
        """As the store keeps it."""


def evaluate_beside_opponent(
    workspace: Workspace,
    model: ModelRef,
    dataset: SnapshotRef,
    params: LineEvaluationParams | PageEvaluationParams,
    *,
    number: float,
    measure: Callable[[str], Report],
) -> EvaluationRef:
    """Measure a candidate and its opponent, or find what the same inputs gave before.

    Args:
        workspace: Where the registry and the evaluations are.
        model: The candidate.
        dataset: Whose test split both read.
        params: Of the evaluation.
        number: Score to meet where the baseline is a number.
        measure: Reads the test split with the candidate and the opponent of this name.
    """
    champion = workspace.registry.champion(model.name)
    opponent = _choose_opponent(workspace, model, champion=champion, params=params)
    digest = content_digest(
        model=model.version,
        snapshot=dataset.digest,
        opponent=opponent,
        seed=params.seed,
        baseline_release=_release_of(opponent),
        baseline_number=number,
        resamples=params.resamples,
    )
    key = f"evaluations/{digest}"
    cached = workspace.store.exists(f"{key}/report.json")
    if not cached:
        workspace.store.put_bytes(f"{key}/report.json", measure(opponent).to_json())
    narrate("evaluate", f"{'found' if cached else 'measured'} {model.version} beside {opponent}")
    return EvaluationRef(
        key=key,
        model=model,
        dataset=dataset.key,
        opponent=opponent,
        champion=champion.version if champion else None,
    )


def _choose_opponent(
    workspace: Workspace,
    model: ModelRef,
    *,
    champion: AliasState | None,
    params: LineEvaluationParams | PageEvaluationParams,
) -> str:
    """Name the champion; for the champion itself, what it was promoted over; else the baseline."""
    other = champion.version if champion else None
    if champion and other == model.version:
        moves = [m for m in champion.history if m.version == other and m.action == "promote"]
        other = moves[-1].previous if moves else None
    if other:
        return f"{model.name}:{other}"
    if params.baseline == "bundle":
        return workspace.registry.resolve(params.baseline_bundle).reference
    return params.baseline


def _release_of(opponent: str) -> str:
    """Return the release of a baseline that is a Python package; empty for all others."""
    return version(opponent) if opponent in ("rapidocr", "paddleocr") else ""
