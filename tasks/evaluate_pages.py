"""Candidate against champion, or its stand-in, on the test pages, in one pass."""

from collections.abc import Callable

from prefect import task

from configs.evaluation import PageEvaluationParams
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.pages.evaluate import evaluate_pages as measure_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.reading.baselines import RapidOcrPages, TesseractPages
from ocr.reading.page_reader import ReadsPages
from tasks.opponent import evaluate_beside_opponent
from tasks.readers import load_pipeline
from tasks.references import EvaluationRef, ModelRef
from tasks.retries import may_help
from tasks.workspace import Workspace, open_workspace

BASELINES: dict[str, Callable[[], ReadsPages]] = {
    "rapidocr": RapidOcrPages,
    "tesseract": TesseractPages,
}


@task(name="evaluate-pages", retries=1, retry_delay_seconds=2, retry_condition_fn=may_help)
def evaluate_pages(
    pipeline: ModelRef, pages: SnapshotRef, params: PageEvaluationParams
) -> EvaluationRef:
    """Read the test pages with both pipelines, or find what the same inputs gave before."""
    workspace = open_workspace()

    def measure(opponent: str) -> PagesReport:
        return measure_pages(
            candidate=load_pipeline(workspace, pipeline.reference),
            baseline=_load_opponent(workspace, opponent),
            samples=workspace.fetch_pages(pages.key).pages("test"),
            baseline_hmean=params.baseline_hmean if opponent == "number" else None,
            resamples=params.resamples,
            seed=params.seed,
        )

    return evaluate_beside_opponent(
        workspace, pipeline, pages, params, number=params.baseline_hmean, measure=measure
    )


def _load_opponent(workspace: Workspace, opponent: str) -> ReadsPages | None:
    if opponent in ("none", "number"):
        return None
    if opponent in BASELINES:
        return BASELINES[opponent]()
    return load_pipeline(workspace, opponent)
