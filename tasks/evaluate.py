"""Candidate against champion, or its stand-in, on the test split, in one pass."""

from collections import Counter
from collections.abc import Callable
from importlib.metadata import version

from prefect import task

from configs.evaluation import EvaluationParams
from ocr.alias import AliasState
from ocr.baselines import (
    FilteredRecogniser,
    RapidOcrRecogniser,
    StockPaddleRecogniser,
    TesseractRecogniser,
)
from ocr.charset import Charset
from ocr.evaluation.evaluate import evaluate_models
from ocr.evaluation.evaluation_report import EvaluationReport
from ocr.preparation import SnapshotRef
from ocr.recogniser import OnnxRecogniser, Recogniser
from tasks.narration import narrate
from tasks.references import EvaluationRef, ModelRef, content_digest
from tasks.retries import may_help
from tasks.workspace import Workspace, open_workspace

BASELINES: dict[str, Callable[[], Recogniser]] = {
    "rapidocr": RapidOcrRecogniser,
    "paddleocr": StockPaddleRecogniser,
    "tesseract": TesseractRecogniser,
}


@task(name="evaluate", retries=1, retry_delay_seconds=2, retry_condition_fn=may_help)
def evaluate_model(
    model: ModelRef, dataset: SnapshotRef, params: EvaluationParams
) -> EvaluationRef:
    """Read the test split with both models, or find what the same inputs gave before."""
    workspace = open_workspace()
    champion = workspace.registry.champion(model.name)
    opponent = _choose_opponent(workspace, model, params, champion=champion)
    digest = content_digest(
        model=model.version,
        snapshot=dataset.digest,
        opponent=opponent,
        seed=params.seed,
        baseline_release=_release(opponent),
        baseline_accuracy=params.baseline_accuracy,
        resamples=params.resamples,
    )
    key = f"evaluations/{digest}"
    cached = workspace.store.exists(f"{key}/report.json")
    if not cached:
        report = _evaluate(workspace, model, opponent, dataset=dataset, params=params)
        workspace.store.put_bytes(f"{key}/report.json", report.to_json())
    narrate("evaluate", f"{'found' if cached else 'measured'} {model.version} beside {opponent}")
    return EvaluationRef(
        key=key,
        model=model,
        dataset=dataset.key,
        opponent=opponent,
        champion=champion.version if champion else None,
    )


def _choose_opponent(
    workspace: Workspace, model: ModelRef, params: EvaluationParams, *, champion: AliasState | None
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


def _evaluate(
    workspace: Workspace,
    model: ModelRef,
    opponent: str,
    *,
    dataset: SnapshotRef,
    params: EvaluationParams,
) -> EvaluationReport:
    snapshot = workspace.fetch_snapshot(dataset.key)
    return evaluate_models(
        candidate=_load(workspace, f"{model.name}:{model.version}"),
        baseline=_load_opponent(workspace, opponent, snapshot.charset),
        samples=snapshot.images("test"),
        baseline_accuracy=params.baseline_accuracy if opponent == "number" else None,
        training_counts=Counter("".join(snapshot.samples("train")["text"])),
        resamples=params.resamples,
        seed=params.seed,
    )


def _release(opponent: str) -> str:
    return version(opponent) if opponent in ("rapidocr", "paddleocr") else ""


def _load_opponent(workspace: Workspace, opponent: str, charset: Charset) -> Recogniser | None:
    if opponent in ("none", "number"):
        return None
    if opponent in BASELINES:
        return FilteredRecogniser(BASELINES[opponent](), characters=charset.characters)
    return _load(workspace, opponent)


def _load(workspace: Workspace, reference: str) -> OnnxRecogniser:
    return OnnxRecogniser.load(workspace.fetch_bundle(workspace.registry.resolve(reference)))
