"""Candidate against champion, or its stand-in, on the test pages, in one pass."""

from collections.abc import Callable

from prefect import task

from configs.evaluation import PageEvaluationParams
from ocr.baselines import RapidOcrPages, TesseractPages
from ocr.evaluation.pages.evaluate import evaluate_pages as measure_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.page_reader import ReadsPages
from ocr.preparation import SnapshotRef
from tasks.narration import narrate
from tasks.opponent import choose_opponent, release_of
from tasks.readers import load_pipeline
from tasks.references import EvaluationRef, ModelRef, content_digest
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
    champion = workspace.registry.champion(pipeline.name)
    opponent = choose_opponent(
        workspace,
        pipeline,
        champion=champion,
        baseline=params.baseline,
        baseline_bundle=params.baseline_bundle,
    )
    digest = content_digest(
        pipeline=pipeline.version,
        snapshot=pages.digest,
        opponent=opponent,
        seed=params.seed,
        baseline_release=release_of(opponent),
        baseline_hmean=params.baseline_hmean,
        resamples=params.resamples,
    )
    key = f"evaluations/{digest}"
    cached = workspace.store.exists(f"{key}/report.json")
    if not cached:
        report = _evaluate(workspace, pipeline, opponent, pages=pages, params=params)
        workspace.store.put_bytes(f"{key}/report.json", report.to_json())
    narrate("evaluate", f"{'found' if cached else 'measured'} {pipeline.version} beside {opponent}")
    return EvaluationRef(
        key=key,
        model=pipeline,
        dataset=pages.key,
        opponent=opponent,
        champion=champion.version if champion else None,
    )


def _evaluate(
    workspace: Workspace,
    pipeline: ModelRef,
    opponent: str,
    *,
    pages: SnapshotRef,
    params: PageEvaluationParams,
) -> PagesReport:
    return measure_pages(
        candidate=load_pipeline(workspace, pipeline.reference),
        baseline=_load_opponent(workspace, opponent),
        samples=workspace.fetch_pages(pages.key).pages("test"),
        baseline_hmean=params.baseline_hmean if opponent == "number" else None,
        resamples=params.resamples,
        seed=params.seed,
    )


def _load_opponent(workspace: Workspace, opponent: str) -> ReadsPages | None:
    if opponent in ("none", "number"):
        return None
    if opponent in BASELINES:
        return BASELINES[opponent]()
    return load_pipeline(workspace, opponent)
