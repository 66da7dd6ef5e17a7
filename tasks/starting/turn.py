"""One training of a model at a time in a home, whoever started it: terminal, form, schedule.

Prefect counts the runs of a deployment alone; this holds between those of a project's retraining,
those of its smoke and those of the terminal as well.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prefect import State
from prefect.states import Cancelled

from configs.settings import Settings
from ocr.errors import OcrError
from tasks.run.alone import SUFFIX, alone, release, take
from tasks.workspace import open_workspace


class ModelBusy(OcrError, RuntimeError):
    """A run that gives up because its model is trained by another one; started later, it runs."""

    exit_code = 5


def give_up(busy: ModelBusy) -> State[Any]:
    """Return how such a run ends: cancelled, with the reason; a terminal hears the error itself."""
    return Cancelled(message=str(busy), data=busy)


@contextmanager
def take_turn(model: str) -> Iterator[None]:
    """Train while no other run of this machine trains this model; wait for it, or give up.

    Raises:
        ModelBusy: Another run trains it, and the environment says that this one is to give up.
        JobEnded: The run was stopped while it waited.
    """
    home = open_workspace().home
    name = f"model-{model}"
    if Settings().when_busy == "CANCEL_NEW":
        _refuse_busy(model, home / "jobs" / f"{name}{SUFFIX}")
    with alone(home, name, stage="train"):
        yield


def _refuse_busy(model: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = take(path)
    if lock is None:
        raise ModelBusy(
            f"another run of this machine trains {model}, and operation.when_busy is CANCEL_NEW: "
            "start this one later"
        )
    release(lock, path)
