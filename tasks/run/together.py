"""Tasks that run at the same time: the first error ends the jobs of the others."""

from typing import Any, TypeVar
from uuid import UUID

from prefect.context import FlowRunContext
from prefect.futures import PrefectFuture, as_completed

First = TypeVar("First")
Second = TypeVar("Second")

_ended: set[UUID] = set()


def finish_together(
    first: PrefectFuture[First], second: PrefectFuture[Second]
) -> tuple[First, Second]:
    """Wait for two submitted tasks and return what they return.

    The first error, or whatever stops this run, is raised and ends the jobs of both: Prefect waits
    for the threads of a flow's tasks, which wait for their jobs.
    """
    try:
        both: list[PrefectFuture[Any]] = [first, second]
        for future in as_completed(both):
            future.result()
        return first.result(), second.result()
    except BaseException:
        if flow_run := _flow_run():
            _ended.add(flow_run)
        raise


def is_ended() -> bool:
    """Say whether the flow run of this thread has an error, so that its jobs are to end."""
    return _flow_run() in _ended


def _flow_run() -> UUID | None:
    context = FlowRunContext.get()
    return context.flow_run.id if context and context.flow_run else None
