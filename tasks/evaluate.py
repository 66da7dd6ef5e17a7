"""Measure a candidate beside its opponent, on the same test split, in one pass."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Final, Literal

from prefect import task

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.lines.evaluate import evaluate_lines as measure_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.evaluate import evaluate_pages as measure_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.report import EvaluationReport
from ocr.reading.baselines.tesseract import find_tesseract, name_tesseract
from ocr.store.digest import stage_key
from tasks.measuring.baseline import TESSERACT_LANGUAGE, name_baseline
from tasks.measuring.found import find_or_measure
from tasks.measuring.further import read_further
from tasks.readers import (
    load_line_opponent,
    load_page_opponent,
    load_pipeline,
    load_recogniser,
)
from tasks.references import EvaluationRef, ModelRef
from tasks.run.narration import narrate
from tasks.run.retries import may_help
from tasks.workspace import Workspace, open_workspace

BASELINE_PACKAGES = {  # another release may read otherwise
    "rapidocr": ("rapidocr",),
    "paddleocr": ("paddleocr", "paddlex", "paddlepaddle", "paddlepaddle-gpu"),
}
NONE: Final[Mapping[str, SnapshotRef]] = MappingProxyType({})


@task(name="evaluate-lines", retries=1, retry_delay_seconds=2, retry_condition_fn=may_help)
def evaluate_lines(
    model: ModelRef,
    dataset: SnapshotRef,
    params: LineEvaluationParams,
    further: Mapping[str, SnapshotRef] = NONE,
) -> EvaluationRef:
    """Read the test split and further sets with both models, or find what the same gave before."""
    workspace = open_workspace()

    def measure(opponent: str) -> LinesReport:
        snapshot = workspace.open_lines(dataset.key)
        return measure_lines(
            candidate=load_recogniser(workspace, model.reference),
            opponent=load_line_opponent(workspace, opponent, snapshot),
            samples=snapshot.images("test"),
            required_accuracy=params.baseline_accuracy if opponent == "number" else None,
            training_counts=Counter(chain.from_iterable(snapshot.values("text", "train"))),
            resamples=params.resamples,
            seed=params.seed,
        )

    def read(reference: str, key: str, most: int) -> LinesReport:
        return measure_lines(
            candidate=load_recogniser(workspace, reference),
            opponent=None,
            samples=islice(workspace.open_lines(key).images("test"), most),
            required_accuracy=None,
            training_counts={},
            resamples=params.resamples,
            seed=params.seed,
        )

    evaluation = _beside_opponent(
        workspace,
        "evaluate-lines",
        model,
        dataset,
        params,
        number=params.baseline_accuracy,
        measure=measure,
    )
    most = {each.name: each.max_lines for each in params.further}
    return replace(
        evaluation,
        further=read_further(
            workspace, "evaluate-lines", evaluation, params, sets=further, most=most, read=read
        ),
    )


@task(name="evaluate-pages", retries=1, retry_delay_seconds=2, retry_condition_fn=may_help)
def evaluate_pages(
    pipeline: ModelRef,
    pages: SnapshotRef,
    params: PageEvaluationParams,
    further: Mapping[str, SnapshotRef] = NONE,
) -> EvaluationRef:
    """Read the test pages and further sets with both, or find what the same gave before."""
    workspace = open_workspace()

    def measure(opponent: str) -> PagesReport:
        snapshot = workspace.open_pages(pages.key)
        return measure_pages(
            candidate=load_pipeline(workspace, pipeline.reference),
            opponent=load_page_opponent(workspace, opponent, snapshot),
            samples=snapshot.images("test"),
            required_hmean=params.baseline_hmean if opponent == "number" else None,
            resamples=params.resamples,
            seed=params.seed,
        )

    def read(reference: str, key: str, most: int) -> PagesReport:
        return measure_pages(
            candidate=load_pipeline(workspace, reference),
            opponent=None,
            samples=islice(workspace.open_pages(key).images("test"), most),
            required_hmean=None,
            resamples=params.resamples,
            seed=params.seed,
        )

    evaluation = _beside_opponent(
        workspace,
        "evaluate-pages",
        pipeline,
        pages,
        params,
        number=params.baseline_hmean,
        measure=measure,
    )
    most = {each.name: each.max_pages for each in params.further}
    return replace(
        evaluation,
        further=read_further(
            workspace, "evaluate-pages", evaluation, params, sets=further, most=most, read=read
        ),
    )


def _beside_opponent(
    workspace: Workspace,
    stage: Literal["evaluate-lines", "evaluate-pages"],
    model: ModelRef,
    dataset: SnapshotRef,
    params: LineEvaluationParams | PageEvaluationParams,
    *,
    number: float,
    measure: Callable[[str], EvaluationReport],
) -> EvaluationRef:
    """Find the report of the same inputs, or keep what ``measure`` makes of the opponent's name."""
    champion = workspace.registry.champion(model.name)
    other = champion.opponent_of(model.version) if champion else None
    opponent = f"{model.name}:{other}" if other else name_baseline(workspace, params)
    digest = stage_key(
        stage,
        packages=BASELINE_PACKAGES.get(opponent, ()),
        model=model.reference,
        snapshot=dataset.digest,
        opponent=_name_release(opponent),
        seed=params.seed,
        baseline_number=number if opponent == "number" else None,
        resamples=params.resamples,
    )
    key, cached = find_or_measure(workspace, digest, partial(measure, opponent))
    narrate("evaluate", f"{'found' if cached else 'measured'} {model.version} beside {opponent}")
    return EvaluationRef(
        key=key,
        model=model,
        dataset=dataset.key,
        opponent=opponent,
        champion=champion.version if champion else None,
    )


def _name_release(opponent: str) -> str:
    """Name the opponent, with its version where that is none of a Python package."""
    if opponent != "tesseract":
        return opponent
    return name_tesseract(find_tesseract(TESSERACT_LANGUAGE), TESSERACT_LANGUAGE)
