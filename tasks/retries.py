"""When a failed task is tried again."""

from typing import Any

from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import Task

from ocr.errors import BadData, BadInput, ParityFailed, TrainingFailed

HOPELESS = (BadInput, BadData, TrainingFailed, ParityFailed)


def may_help(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Retry what a machine or network did, never what the input or the model did."""
    return not isinstance(state.result(raise_on_failure=False), HOPELESS)
