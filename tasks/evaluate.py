"""Measure a candidate beside its opponent, on the same test split; each reads it once."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Final, TypeVar

from prefect import task

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.elsewhere import Readings
from ocr.evaluation.lines.evaluate import evaluate_lines as measure_lines
from ocr.evaluation.lines.evaluate import pair_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.evaluate import evaluate_pages as measure_pages
from ocr.evaluation.pages.evaluate import pair_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.report import EvaluationReport
from ocr.models.page_line import PageLine
from ocr.processors import count_processors
from ocr.reading.page_reader import ReadsPages
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import Recogniser
from ocr.store.digest import stage_key
from tasks.measuring.baseline import BASELINE_PACKAGES, identify, name_baseline
from tasks.measuring.elsewhere import (
    is_of_elsewhere,
    load_line_readings,
    load_page_readings,
    still_tell,
)
from tasks.measuring.found import find_or_measure
from tasks.measuring.further import Read, read_further
from tasks.measuring.readings import Stage, read_alone
from tasks.readers import NOBODY, load_line_contender, load_page_contender
from tasks.references import EvaluationRef, ModelRef
from tasks.run.narration import narrate
from tasks.run.retries import may_help
from tasks.workspace import Workspace, open_workspace

ReportT = TypeVar("ReportT", LinesReport, PagesReport)

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

    def read(reader: str, dataset: SnapshotRef, most: int, what: str) -> str:
        labels = workspace.open_lines(dataset.key)
        return read_alone(
            workspace,
            "evaluate-lines",
            reader,
            params,
            labels=labels,
            most=most,
            what=what,
            load=lambda: _load_lines(workspace, reader, params, labels),
            measure=measure_lines,
        )

    def pair(opponent: str) -> LinesReport:
        ours, theirs = _read_test(workspace, read, model, opponent, dataset, LinesReport)
        train = workspace.open_lines(dataset.key).values("text", "train")
        return pair_lines(
            ours,
            theirs,
            required_accuracy=params.baseline_accuracy if opponent == "number" else None,
            training_counts=Counter(chain.from_iterable(train)),
        )

    evaluation = _beside_opponent(
        workspace,
        "evaluate-lines",
        model,
        dataset,
        params,
        number=params.baseline_accuracy,
        pair=pair,
    )
    most = {each.name: each.max_lines for each in params.further}
    return replace(
        evaluation,
        further=read_further(workspace, evaluation, sets=further, most=most, read=read),
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

    def read(reader: str, dataset: SnapshotRef, most: int, what: str) -> str:
        labels = workspace.open_pages(dataset.key)
        return read_alone(
            workspace,
            "evaluate-pages",
            reader,
            params,
            labels=labels,
            most=most,
            what=what,
            load=lambda: _load_pages(workspace, reader, params, labels),
            measure=measure_pages,
        )

    def pair(opponent: str) -> PagesReport:
        ours, theirs = _read_test(workspace, read, pipeline, opponent, pages, PagesReport)
        required = params.baseline_hmean if opponent == "number" else None
        return pair_pages(ours, theirs, required_hmean=required)

    evaluation = _beside_opponent(
        workspace,
        "evaluate-pages",
        pipeline,
        pages,
        params,
        number=params.baseline_hmean,
        pair=pair,
    )
    most = {each.name: each.max_pages for each in params.further}
    return replace(
        evaluation,
        further=read_further(workspace, evaluation, sets=further, most=most, read=read),
    )


def _load_lines(
    workspace: Workspace, reader: str, params: LineEvaluationParams, labels: LineSnapshot
) -> Recogniser | Readings[Recognition]:
    if is_of_elsewhere(reader):
        return load_line_readings(reader, params, labels)
    return load_line_contender(workspace, reader, labels, threads=count_processors())


def _load_pages(
    workspace: Workspace, reader: str, params: PageEvaluationParams, labels: PageSnapshot
) -> ReadsPages | Readings[tuple[PageLine, ...]]:
    if is_of_elsewhere(reader):
        return load_page_readings(reader, params, labels)
    return load_page_contender(workspace, reader, labels, threads=count_processors())


def _read_test(
    workspace: Workspace,
    read: Read,
    model: ModelRef,
    opponent: str,
    dataset: SnapshotRef,
    kind: type[ReportT],
) -> tuple[ReportT, ReportT | None]:
    """Read the test split with a candidate and, where one reads, its opponent."""
    readers = [model.reference, *([] if opponent in NOBODY else [opponent])]
    most = dataset.counts["test"]
    keys = [read(reader, dataset, most, f"test split ({most})") for reader in readers]
    reports = [kind.read(workspace.store, key) for key in keys]
    return reports[0], reports[1] if len(reports) > 1 else None


def _beside_opponent(
    workspace: Workspace,
    stage: Stage,
    model: ModelRef,
    dataset: SnapshotRef,
    params: LineEvaluationParams | PageEvaluationParams,
    *,
    number: float,
    pair: Callable[[str], EvaluationReport],
) -> EvaluationRef:
    """Find the report of the same inputs, or keep what ``pair`` makes of the opponent's name."""
    registry = workspace.registry
    champion = registry.champion(model.name)
    other = champion.opponent_of(model.version) if champion else None
    is_predecessor = champion is not None and champion.version == model.version
    if other and is_predecessor and not registry.has_version(model.name, other):
        other = None  # it was erased
    if other:
        opponent = f"{model.name}:{other}"
    elif champion and not still_tell(workspace, params, dataset):
        opponent = "none"
    else:
        opponent = name_baseline(workspace, params)
    digest = stage_key(
        stage,
        packages=BASELINE_PACKAGES.get(opponent, ()),
        model=identify(workspace, model.reference),
        snapshot=dataset.digest,
        opponent=identify(workspace, opponent),
        seed=params.seed,
        baseline_number=number if opponent == "number" else None,
        resamples=params.resamples,
    )
    key, cached = find_or_measure(workspace, digest, partial(pair, opponent))
    narrate("evaluate", f"{'found' if cached else 'measured'} {model.version} beside {opponent}")
    return EvaluationRef(
        key=key,
        model=model,
        dataset=dataset.key,
        opponent=opponent,
        champion=champion.version if champion else None,
    )
