"""What candidate and opponent read of further test sets, side by side, and what is asked there."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from configs.further import FurtherLinesParams, FurtherPagesParams
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.snapshot.snapshot import Sample
from ocr.evaluation.lines.evaluate import pair_lines
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.evaluate import pair_pages
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.report import EvaluationReport
from ocr.gate.evidence import FurtherSet, collect_further_lines, collect_further_pages
from ocr.gate.further import JudgedSet
from ocr.gate.overlap import Overlap
from ocr.gate.words import describe_change
from tasks.judging.overlap import find_overlap
from tasks.references import EvaluationRef, FurtherRef
from tasks.run.narration import narrate
from tasks.workspace import Workspace

ReportT = TypeVar("ReportT", bound=EvaluationReport)
SnapshotT = TypeVar("SnapshotT", LineSnapshot, PageSnapshot)


@dataclass(frozen=True)
class FurtherTest(Generic[ReportT, SnapshotT]):
    """A further set: its evidence, its evaluation, and the snapshot that its images are in."""

    found: FurtherSet
    report: ReportT
    snapshot: SnapshotT


def collect_lines(
    workspace: Workspace, evaluation: EvaluationRef, sets: Sequence[FurtherLinesParams]
) -> list[FurtherTest[LinesReport, LineSnapshot]]:
    """Collect what the gate looks at in every further set of lines that was read."""
    tests = []
    for each, params in _match(evaluation, sets):
        report = _read_paired(workspace, each, LinesReport, pair_lines)
        snapshot = workspace.open_lines(each.dataset)
        tested = islice(snapshot.samples("test"), report.candidate.metrics.n)
        found = collect_further_lines(
            report,
            name=each.name,
            margin=params.margin,
            floor=params.min_accuracy,
            overlaps=_find_overlaps(workspace, evaluation, list(tested)),
        )
        tests.append(FurtherTest(found, report, snapshot))
    return tests


def collect_pages(
    workspace: Workspace, evaluation: EvaluationRef, sets: Sequence[FurtherPagesParams]
) -> list[FurtherTest[PagesReport, PageSnapshot]]:
    """Collect what the gate looks at in every further set of pages that was read."""
    tests = []
    for each, params in _match(evaluation, sets):
        report = _read_paired(workspace, each, PagesReport, pair_pages)
        snapshot = workspace.open_pages(each.dataset)
        tested = islice(snapshot.samples("test"), report.candidate.metrics.pages)
        found = collect_further_pages(
            report,
            name=each.name,
            margin=params.margin,
            floor=params.min_hmean,
            overlaps=_find_overlaps(workspace, evaluation, list(tested)),
        )
        tests.append(FurtherTest(found, report, snapshot))
    return tests


def say_further(sets: Sequence[JudgedSet]) -> None:
    """Say of each set what was found."""
    for each in sets:
        found = each.found
        change = f", {describe_change(found.comparison)}" if found.comparison else ""
        said = f"{found.metric} {found.share.value:.1%} on {found.n} {found.unit}{change}"
        narrate("judge", f"further set {found.name}: {each.verdict}: {said}")


ParamsT = TypeVar("ParamsT", FurtherLinesParams, FurtherPagesParams)


def _match(
    evaluation: EvaluationRef, sets: Sequence[ParamsT]
) -> Iterator[tuple[FurtherRef, ParamsT]]:
    """Yield every set that was read, with its bounds as they are now."""
    by_name = {each.name: each for each in sets}
    for each in evaluation.further:
        yield each, by_name[each.name]


def _read_paired(
    workspace: Workspace,
    each: FurtherRef,
    kind: type[ReportT],
    pair: Callable[[ReportT, ReportT], ReportT],
) -> ReportT:
    ours, *theirs = (kind.read(workspace.store, key) for key in each.evaluations)
    return pair(ours, theirs[0]) if theirs else ours


def _find_overlaps(
    workspace: Workspace, evaluation: EvaluationRef, tested: Sequence[Sample]
) -> dict[str, Overlap]:
    versions = (evaluation.model.reference, evaluation.opponent)
    found = {version: find_overlap(workspace, version, tested) for version in versions}
    return {version: overlap for version, overlap in found.items() if overlap}
