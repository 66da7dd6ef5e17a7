"""When a failed task is tried again."""

from typing import Any

from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import Task

from ocr.errors import ProcessDied, StoreUnavailable
from tasks.run.jobs import JobDied


def may_help(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Retry what a network or machine did, never what the input, the model or our code did."""
    return isinstance(
        state.result(raise_on_failure=False), (StoreUnavailable, ProcessDied, JobDied)
    )
