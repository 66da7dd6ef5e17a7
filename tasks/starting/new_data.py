"""Looks whether enough labelled rows are new to retrain, and says so once to whoever waits."""

import time
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from prefect import task

from configs.operation.watch import WatchLinesParams, WatchPagesParams, WatchParams
from ocr.dataset.labels.split_files import SplitFiles
from ocr.dataset.row_list import (
    NOTHING,
    RowList,
    count_new,
    digest_of,
    keep_rows,
    list_rows,
    newest_snapshot,
    read_rows_of,
)
from ocr.errors import BadInput
from ocr.lineage.decision import read_decisions
from ocr.store import Store
from tasks.prepare_lines import line_labels
from tasks.prepare_pages import page_labels
from tasks.run.alone import alone
from tasks.run.narration import narrate
from tasks.run.retries import may_help
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
        base, known = _known(workspace, params.name, dataset)
        raised, since = _raised(workspace, params.name, dataset)
        new, fresh = count_new(rows, known), count_new(rows, known, raised)
        said = f"{new} of {len(rows)} labelled samples of {dataset} are new to {base}"
        if fresh < new:
            said += f", {new - fresh} of them have started a retraining before"
        narrate("watch", f"{said}; {params.new_samples} are enough")
        if fresh < params.new_samples:
            return fresh
        digest = digest_of(rows)
        raise_event(
            NEW_DATA,
            params.name,
            {"new": fresh, "rows": len(rows), "dataset": dataset},
            identity=uuid5(NAMESPACE_URL, f"{workspace.store.uri} {params.name} {digest} {since}"),
        )
        every = np.union1d(raised, rows)
        name = f"{params.name}/{RAISED}"
        keep_rows(workspace.store, every, name=name, snapshot=digest_of(every))
        narrate("watch", f"raised {NEW_DATA} for {params.name}")
    return fresh


def _known(workspace: Workspace, model: str, dataset: str) -> tuple[str, RowList]:
    """Return in words what there is to compare with, and its rows."""
    store, registry = workspace.store, workspace.registry
    champion = registry.champion(model)
    if champion is not None:
        version = registry.version(model, champion.version)
        base, digest = version.reference, str(version.manifest["dataset_digest"])
    else:
        digest = newest_snapshot(store, name=dataset)
        base = f"the snapshot {digest[:12]}" if digest else f"{model}, which has no snapshot yet"
    rows = read_rows_of(store, name=dataset, snapshot=digest) if digest else None
    return base, NOTHING if rows is None else rows


def _raised(workspace: Workspace, model: str, dataset: str) -> tuple[RowList, float]:
    """Return the rows of events that started something, and when the last one was (epoch, s).

    A row that no candidate brought to the gate within a day has started nothing that lasted: its
    run was given up beside another one, it failed, or its trigger was off. It counts again.
    """
    store, name = workspace.store, f"{model}/{RAISED}"
    digest = newest_snapshot(store, name=name)
    rows = read_rows_of(store, name=name, snapshot=digest) if digest else None
    if rows is None:
        return NOTHING, 0.0
    raised = max(entry.modified for entry in store.entries(f"rows/{name}"))
    if time.time() - raised > A_DAY_S:
        rows = _keep_decided(store, model, dataset, rows, since=raised)
    return rows, raised


def _keep_decided(
    store: Store, model: str, dataset: str, rows: RowList, *, since: float
) -> RowList:
    """Return the rows that are in a snapshot on which the gate decided since a moment (epoch, s).

    A run that began before an event decides after it too, on the snapshot that it had.
    """
    decided = NOTHING
    recent = (
        each
        for each in read_decisions(store, model)
        if datetime.fromisoformat(each.at).timestamp() >= since
    )
    for digest in {each.dataset.rpartition("/")[2] for each in recent}:
        learnt = read_rows_of(store, name=dataset, snapshot=digest)
        if learnt is None:  # of an earlier release: it may have had them all
            return rows
        decided = np.union1d(decided, np.intersect1d(rows, learnt, assume_unique=True))
    return decided
