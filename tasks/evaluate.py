"""Candidate against champion, or its stand-in, on the test split, in one pass."""

from collections import Counter
from collections.abc import Callable

from prefect import task

from configs.evaluation import EvaluationParams
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
from ocr.recogniser import Recogniser
from tasks.narration import narrate
from tasks.opponent import choose_opponent, release_of
from tasks.readers import load_recogniser
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
    opponent = choose_opponent(
        workspace,
        model,
        champion=champion,
        baseline=params.baseline,
        baseline_bundle=params.baseline_bundle,
    )
    digest = content_digest(
        model=model.version,
        snapshot=dataset.digest,
        opponent=opponent,
        seed=params.seed,
        baseline_release=release_of(opponent),
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
        candidate=load_recogniser(workspace, model.reference),
        baseline=_load_opponent(workspace, opponent, snapshot.charset),
        samples=snapshot.images("test"),
        baseline_accuracy=params.baseline_accuracy if opponent == "number" else None,
        training_counts=Counter("".join(snapshot.samples("train")["text"])),
        resamples=params.resamples,
        seed=params.seed,
    )


def _load_opponent(workspace: Workspace, opponent: str, charset: Charset) -> Recogniser | None:
    if opponent in ("none", "number"):
        return None
    if opponent in BASELINES:
        return FilteredRecogniser(BASELINES[opponent](), characters=charset.characters)
    return load_recogniser(workspace, opponent)
