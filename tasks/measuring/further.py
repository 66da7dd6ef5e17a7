"""Reads further test sets, each version alone: a champion that has read a set does not again."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Literal

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.report import EvaluationReport
from ocr.store.digest import stage_key
from ocr.store.folder import mark_used
from tasks.measuring.found import find_or_measure
from tasks.references import EvaluationRef, FurtherRef
from tasks.run.narration import narrate
from tasks.workspace import Workspace

Stage = Literal["evaluate-lines", "evaluate-pages"]
Read = Callable[[str, str, int], EvaluationReport]
"""Reads, with the version of a reference, of the snapshot with a key, so many samples at most."""


def read_further(
    workspace: Workspace,
    stage: Stage,
    evaluation: EvaluationRef,
    params: LineEvaluationParams | PageEvaluationParams,
    *,
    sets: Mapping[str, SnapshotRef],
    most: Mapping[str, int],
    read: Read,
) -> tuple[FurtherRef, ...]:
    """Read each set with the candidate and its opponent, or find what they read of it before.

    A baseline reads none: nobody expects a first model to read everything, only its floors count.

    Args:
        workspace: Where reports are.
        stage: Who measures.
        evaluation: Of the same candidate, on the dataset's own test.
        params: Its seed and resamples.
        sets: The snapshots by name.
        most: Samples to read by name.
        read: Measures one version.
    """
    return tuple(
        FurtherRef(
            name=name,
            dataset=snapshot.key,
            evaluations=tuple(
                _read_once(
                    workspace,
                    stage,
                    reference,
                    params,
                    name=name,
                    snapshot=snapshot,
                    most=min(most[name], snapshot.counts["test"]),
                    read=read,
                )
                for reference in _versions(evaluation)
            ),
        )
        for name, snapshot in sets.items()
    )


def _versions(evaluation: EvaluationRef) -> Sequence[str]:
    opponent = [evaluation.opponent] if ":" in evaluation.opponent else []
    return [evaluation.model.reference, *opponent]


def _read_once(
    workspace: Workspace,
    stage: Stage,
    reference: str,
    params: LineEvaluationParams | PageEvaluationParams,
    *,
    name: str,
    snapshot: SnapshotRef,
    most: int,
    read: Read,
) -> str:
    digest = stage_key(
        stage,
        model=reference,
        snapshot=snapshot.digest,
        opponent="none",
        seed=params.seed,
        baseline_number=None,
        resamples=params.resamples,
        most=most,
    )
    mark_used(workspace.store, prefix=snapshot.key)
    started = perf_counter()
    key, is_there = find_or_measure(workspace, digest, partial(read, reference, snapshot.key, most))
    what = f"{most} of {snapshot.counts['test']} of further set {name} with {reference}"
    how = "found" if is_there else f"read in {perf_counter() - started:.1f} s"
    narrate("evaluate", f"{what}: {how}")
    return key
