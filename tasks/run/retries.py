"""When a failed task is tried again."""

from typing import Any

from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import Task

from ocr.errors import ProcessDied, StoreUnavailable
from tasks.run.jobs import JobDied
from tasks.run.narration import narrate


def may_help(task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Retry what a network or machine did, never what the input, the model or our code did.

    Asked where a try is left, so what is retried is told, with why.
    """
    error = state.result(raise_on_failure=False)
    passes = isinstance(error, (StoreUnavailable, ProcessDied, JobDied))
    if passes:
        narrate(task.name.partition("-")[0], f"{error}; trying again")
    return passes
