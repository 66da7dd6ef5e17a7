"""Reads further test sets, each version alone."""

from collections.abc import Callable, Mapping, Sequence

from ocr.dataset.preparation import SnapshotRef
from ocr.store.folder import mark_used
from tasks.measuring.baseline import is_baseline
from tasks.references import EvaluationRef, FurtherRef
from tasks.workspace import Workspace

Read = Callable[[str, SnapshotRef, int, str], str]
"""Reads, with the version of a reference, of a snapshot, so many samples at most, named so; returns
the prefix of the report."""


def read_further(
    workspace: Workspace,
    evaluation: EvaluationRef,
    *,
    sets: Mapping[str, SnapshotRef],
    most: Mapping[str, int],
    read: Read,
) -> tuple[FurtherRef, ...]:
    """Read each set with the candidate and its opponent, or find what they read of it before.

    A baseline reads none: nobody expects a first model to read everything, only its floors count.

    Args:
        workspace: Where reports are.
        evaluation: Of the same candidate, on the dataset's own test.
        sets: The snapshots by name.
        most: Samples to read by name.
        read: Measures one version.
    """
    found = []
    for name, snapshot in sets.items():
        mark_used(workspace.store, prefix=snapshot.key)
        tested = snapshot.counts["test"]
        count = min(most[name], tested)
        what = f"{count} of {tested} of further set {name}"
        keys = tuple(read(reference, snapshot, count, what) for reference in _versions(evaluation))
        found.append(FurtherRef(name=name, dataset=snapshot.key, evaluations=keys))
    return tuple(found)


def _versions(evaluation: EvaluationRef) -> Sequence[str]:
    opponent = [] if is_baseline(evaluation.opponent) else [evaluation.opponent]
    return [evaluation.model.reference, *opponent]
