"""Candidate against champion, or its stand-in, on the test split, in one pass."""

from collections import Counter
from collections.abc import Callable

from prefect import task

from configs.evaluation import LineEvaluationParams
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.lines.evaluate import evaluate_lines as measure_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.models.charset import Charset
from ocr.reading.baselines import (
    FilteredRecogniser,
    RapidOcrRecogniser,
    StockPaddleRecogniser,
    TesseractRecogniser,
)
from ocr.reading.recognition.recogniser import Recogniser
from tasks.opponent import evaluate_beside_opponent
from tasks.readers import load_recogniser
from tasks.references import EvaluationRef, ModelRef
from tasks.retries import may_help
from tasks.workspace import Workspace, open_workspace

BASELINES: dict[str, Callable[[], Recogniser]] = {
    "rapidocr": RapidOcrRecogniser,
    "paddleocr": StockPaddleRecogniser,
    "tesseract": TesseractRecogniser,
}


@task(name="evaluate-lines", retries=1, retry_delay_seconds=2, retry_condition_fn=may_help)
def evaluate_lines(
    model: ModelRef, dataset: SnapshotRef, params: LineEvaluationParams
) -> EvaluationRef:
    """Read the test split with both models, or find what the same inputs gave before."""
    workspace = open_workspace()

    def measure(opponent: str) -> LinesReport:
        snapshot = workspace.fetch_lines(dataset.key)
        return measure_lines(
            candidate=load_recogniser(workspace, model.reference),
            baseline=_load_opponent(workspace, opponent, snapshot.charset),
            samples=snapshot.images("test"),
            baseline_accuracy=params.baseline_accuracy if opponent == "number" else None,
            training_counts=Counter("".join(snapshot.samples("train")["text"])),
            resamples=params.resamples,
            seed=params.seed,
        )

    return evaluate_beside_opponent(
        workspace, model, dataset, params, number=params.baseline_accuracy, measure=measure
    )


def _load_opponent(workspace: Workspace, opponent: str, charset: Charset) -> Recogniser | None:
    if opponent in ("none", "number"):
        return None
    if opponent in BASELINES:
        return FilteredRecogniser(BASELINES[opponent](), characters=charset.characters)
    return load_recogniser(workspace, opponent)
