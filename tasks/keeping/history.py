"""Each retraining a run in MLflow, where `OCRLINE_MLFLOW` says so.

Written after each stage while the next one goes on. A dead or slow MLflow fails nothing: it is said
once, and the run is not told of any more.
"""

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any, Final, TypeVar

from filelock import FileLock, Timeout
from prefect import task
from prefect.futures import PrefectFuture

from configs.presets import ProjectParams
from configs.settings import Settings
from ocr.errors import OcrError
from tasks.keeping.record import Made, Record, Status, make_record
from tasks.run.narration import narrate
from tasks.workspace import open_workspace

TIMEOUT_S: Final = 120.0
"""Of one record. The first into a new local database takes some twenty seconds."""
LOCAL: Final = "local"
StageName = TypeVar("StageName", bound=str)
QUICK: Final = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "PYTHONSAFEPATH": "1",
}


@contextmanager
def keep_history(params: ProjectParams, until: str) -> Iterator["History"]:
    """Tell MLflow of a retraining that goes up to a stage."""
    history = History(params, until)
    try:
        yield history
    except Exception:  # not what ends the process, which must not wait
        history.close(failed=True)
        raise
    history.close(failed=False)


class History:
    """Of one retraining."""

    def __init__(self, params: ProjectParams, until: str) -> None:
        self._params = params
        self._until = until
        self._made = Made()
        self._last: PrefectFuture[bool] | None = None
        self._is_told = Event()
        self._untold: Status | None = None
        self._is_on = bool(Settings().mlflow)

    def follow(
        self, stages: Generator[tuple[StageName, Any], None, None]
    ) -> Generator[tuple[StageName, Any], None, None]:
        """Pass stages on, and tell of what each made; nothing before a training has ended."""
        with closing(stages):
            for stage, made in stages:
                self._made.add(made)
                self._tell("FINISHED" if stage == self._until else "RUNNING")
                yield stage, made

    def close(self, *, failed: bool) -> None:
        """Wait, for a bounded time, until it is told."""
        if failed:
            self._tell("FAILED")
        for _ in range(2):  # what is being told, and what came since
            if self._last is not None:
                self._is_told.wait(TIMEOUT_S)
            if self._untold:
                self._tell(self._untold)

    def _tell(self, status: Status) -> None:
        """Tell now, or, while something is being told, with what comes next."""
        self._untold = None
        if not (self._is_on and self._made.checkpoints):
            return
        if self._last is not None and not self._is_told.is_set():
            self._untold = status
            return
        if self._last is not None and not self._last.result(raise_on_failure=False):
            self._is_on = False
            return
        self._is_told.clear()
        self._last = tell_mlflow.submit(self._params, replace(self._made), status)
        self._last.add_done_callback(lambda _: self._is_told.set())


@task(name="history", task_run_name="history {status}")
def tell_mlflow(params: ProjectParams, made: Made, status: Status) -> bool:
    """Write what is known of a retraining; say whether MLflow took it."""
    settings = Settings()
    if find_spec("mlflow") is None:
        narrate(
            "history", "OCRLINE_MLFLOW is set, mlflow is not there: pip install 'ocrline[history]'"
        )
        return False
    try:
        record = make_record(open_workspace(settings), params, params.name, made, status)
        write_record(settings, record)
    except (OcrError, OSError, subprocess.SubprocessError) as error:
        narrate("history", f"MLflow was not told of this run: {error}")
        return False
    return True


def write_record(settings: Settings, record: Record, *, timeout_s: float = TIMEOUT_S) -> None:
    """Have a process of its own tell MLflow, one at a time on this machine.

    Raises:
        OcrError: It could not, or not in time.
    """
    folder = settings.home / "mlflow"
    folder.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "tasks.keeping.tracking"]
    try:
        with FileLock(folder / "lock", timeout=timeout_s):
            done = subprocess.run(
                [*program, *_addresses(settings.mlflow, folder)],
                input=record.to_json(),
                env={**os.environ, **QUICK},
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
    except (Timeout, subprocess.TimeoutExpired) as error:
        raise HistoryFailed(f"{settings.mlflow} took longer than {timeout_s:.0f} s") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise HistoryFailed(f"{settings.mlflow}: {said[-1] if said else done.returncode}")


class HistoryFailed(OcrError, RuntimeError):
    """MLflow that did not take a record; nothing else depends on it."""


def _addresses(said: str, folder: Path) -> list[str]:
    """Return where MLflow is and, of a local one, where artifacts would be."""
    if said != LOCAL:
        return [said]
    return [f"sqlite:///{folder / 'mlflow.db'}", (folder / "artifacts").as_uri()]
