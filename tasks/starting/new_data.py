"""Looks whether enough labelled rows are new to retrain, and says so once to whoever waits."""

import time
from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from prefect import task

from configs.operation.watch import WatchLinesParams, WatchPagesParams, WatchParams
from ocr.dataset.labels.split_files import SplitFiles
from ocr.dataset.row_list import (
    NOTHING,
    RowList,
    digest_of,
    keep_rows,
    left_new,
    list_rows,
    newest_snapshot,
    read_rows_of,
)
from ocr.errors import BadInput
from ocr.lineage.decision import KeptDecision
from ocr.models.alias import AliasState
from ocr.store import Store
from tasks.prepare_lines import line_labels
from tasks.prepare_pages import page_labels
from tasks.run.alone import alone
from tasks.run.narration import narrate
from tasks.run.retries import may_help
from tasks.starting.decided import find_decided, moment_of
from tasks.starting.events import NEW_DATA, raise_event
from tasks.workspace import Workspace, open_workspace

A_DAY_S = 86400.0
RAISED = "raised"
"""Stands after a model's name where the rows of its events are kept."""


@task(name="look-at-lines", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def look_at_lines(params: WatchLinesParams) -> int:
    """Count the labelled lines that the champion did not learn from; raise an event if enough."""
    return _look(params, params.dataset.name, line_labels(params.dataset))


@task(name="look-at-pages", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def look_at_pages(params: WatchPagesParams) -> int:
    """Count the labelled pages that the champion did not learn from; raise an event if enough."""
    return _look(params, params.dataset.name, page_labels(params.dataset))


def _look(params: WatchParams, dataset: str, labels: SplitFiles[Any] | None) -> int:
    if labels is None:
        raise BadInput("dataset.source: synthetic: what is rendered is never new")
    workspace = open_workspace()
    with alone(workspace.home, f"watch-{params.name}", stage="watch"):
        rows = list_rows(labels.read())
        store, champion = workspace.store, workspace.registry.champion(params.name)
        base, known = _known(workspace, params.name, dataset, champion)
        left = left_new(rows, known)
        new, said = len(left), f"labelled samples of {dataset} are new to {base}"
        raised, since = _raised(store, params.name)
        if new >= params.new_samples:
            decided = find_decided(store, params.name, champion, since=since, patience_s=A_DAY_S)
            left = _leave_out_started(store, dataset, left, decided, raised=raised, since=since)
        fresh = len(left)
        if fresh < new:
            said += f", {new - fresh} of them were judged or have started a retraining before"
        narrate("watch", f"{new} of {len(rows)} {said}; {params.new_samples} are enough")
        if fresh < params.new_samples:
            return fresh
        digest = digest_of(rows)
        raise_event(
            NEW_DATA,
            params.name,
            {"new": fresh, "rows": len(rows), "dataset": dataset},
            identity=uuid5(NAMESPACE_URL, f"{store.uri} {params.name} {digest} {since}"),
        )
        every = np.union1d(raised, rows)
        name = f"{params.name}/{RAISED}"
        keep_rows(store, every, name=name, snapshot=digest_of(every))
        narrate("watch", f"raised {NEW_DATA} for {params.name}")
    return fresh


def _known(
    workspace: Workspace, model: str, dataset: str, champion: AliasState | None
) -> tuple[str, RowList]:
    """Return in words what there is to compare with, and its rows."""
    if champion is None:
        return f"{model}, which has no champion yet", NOTHING
    version = workspace.registry.version(model, champion.version)
    digest = str(version.manifest["dataset_digest"])
    rows = read_rows_of(workspace.store, name=dataset, snapshot=digest)
    return version.reference, NOTHING if rows is None else rows


def _raised(store: Store, model: str) -> tuple[RowList, float]:
    """Return the rows of all events, and when the last one was (epoch, s; 0: there was none)."""
    name = f"{model}/{RAISED}"
    digest = newest_snapshot(store, name=name)
    rows = read_rows_of(store, name=name, snapshot=digest) if digest else None
    if rows is None:
        return NOTHING, 0.0
    return rows, max(entry.modified for entry in store.entries(f"rows/{name}"))


def _leave_out_started(
    store: Store,
    dataset: str,
    rows: RowList,
    decided: Sequence[KeptDecision],
    *,
    raised: RowList,
    since: float,
) -> RowList:
    """Leave out what starts nothing again.

    That is what the gate has decided on beside the champion of now, be it before the last event
    (epoch, s), whose run may find what was decided. A row of an event that no candidate brought to
    the gate within a day has started nothing that lasted: its run was given up beside another one,
    it failed, or its trigger was off. It counts again.
    """
    left = left_new(rows, raised) if time.time() - since <= A_DAY_S else rows
    last = {each.dataset.rpartition("/")[2]: moment_of(each) for each in decided}
    for digest, at in reversed(last.items()):  # the newest has most of them
        if not len(left):
            break
        learnt = read_rows_of(store, name=dataset, snapshot=digest)
        if learnt is not None:
            left = left_new(left, learnt)
        elif at >= since:  # it may have had them all
            left = left_new(left, raised)
    return left
