"""What is tried again: the deeds of a network or a machine."""

import pytest
from prefect import task
from prefect.client.schemas.objects import TaskRun
from prefect.states import Failed

from ocr.errors import (
    AliasMoved,
    ArtifactExists,
    ArtifactNotFound,
    BadData,
    BadInput,
    ParityFailed,
    ProcessDied,
    StoreUnavailable,
    TrainingFailed,
)
from tasks.run.jobs import JobDied, JobEnded
from tasks.run.retries import may_help

OURS = (BadInput, BadData, ArtifactNotFound, ArtifactExists, AliasMoved, TrainingFailed, JobEnded)
OTHERS = (ValueError, MemoryError, FileNotFoundError)


@task
def fail() -> None: ...


def is_retried(error: Exception) -> bool:
    return may_help(fail, TaskRun(task_key="fail", dynamic_key="0"), Failed(data=error))


@pytest.mark.parametrize("error", [StoreUnavailable, ProcessDied, JobDied])
def test_what_a_network_or_machine_did_is_tried_again_and_told(
    error: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_retried(error("gone"))

    assert "fail  gone; trying again" in capsys.readouterr().err


@pytest.mark.parametrize("error", [*OURS, ParityFailed, *OTHERS])
def test_what_the_input_the_model_or_our_code_did_is_not(error: type[Exception]) -> None:
    assert not is_retried(error("wrong"))
