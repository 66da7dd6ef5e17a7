"""Starts the ranks of a data-parallel training and reports their failure as its own."""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from configs.training import ResourceParams
from ocr.errors import OcrError
from ocr.machine.failures import explain_logs, explain_status
from ocr.models.provenance import COMMIT
from training.job import RESULT
from training.loop.guards import GRACE_S, Stalled, Stopped, StopRequest, is_alive
from training.meeting import HERE, Address, find_port, name_rank
from training.nodes import name_address

FAILURE = "failure.json"
LOGS = "ranks"
PARENT = "OCRLINE_TRAINING_PARENT"
POLL_S = 0.1
STOP_S = GRACE_S + 5
"""How long ranks that were told to stop have; their own watchdogs end them before."""
AFTER_RESULT_S = 60
"""How long ranks have once there is a result, after which none has anything to do."""

# What Paddle fails of, it may write into logs with its environment: nothing secret may be in it.
_NAMES = {"HOME", "LANG", "LANGUAGE", COMMIT, "PATH", "TMPDIR", "TZ", "TZDIR", "USER"}
_GROUPS = (
    *("CUDA", "CPU_", "FLAGS_", "GLOO", "KMP_", "LC_", "LD_", "MKL_", "NCCL", "NVIDIA_DRIVER_"),
    *("NVIDIA_REQUIRE_", "NVIDIA_TF32_", "NVIDIA_VISIBLE_", "OMP_", "OPENBLAS", "PYTHON"),
    "VIRTUAL_ENV",
)


def is_passed_on(variable: str) -> bool:
    """Whether a variable is one that processes of a training need; LANGCHAIN_API_KEY is none."""
    return variable in _NAMES or variable.startswith(_GROUPS)


def launch_ranks(folder: Path, *, command: str, resources: ResourceParams, node: int = 0) -> None:
    """Run ``python -m training COMMAND FOLDER/job.json`` once per device of this node and wait.

    Raises:
        Stopped: SIGTERM arrived before there was a result, and was passed on.
        OcrError: A rank failed before there was a result; the error has its message and exit code.
    """
    failure, result = folder / FAILURE, folder / RESULT
    if node == 0:  # the others come later
        failure.unlink(missing_ok=True)
        for log in (folder / LOGS).glob("workerlog.*"):  # of more ranks, or of other machines
            log.unlink()
    (folder / LOGS).mkdir(parents=True, exist_ok=True)
    address = name_address(resources) if resources.nodes > 1 else (HERE, find_port())
    words = [sys.executable, "-u", "-m", "training", command, str(folder / "job.json")]
    ranks = []
    stop = StopRequest()
    with stop.listening():
        try:
            for local in range(resources.devices):
                environment = rank_environment(
                    os.environ, address=address, resources=resources, node=node, local=local
                )
                log = folder / LOGS / f"workerlog.{node * resources.devices + local}"
                ranks.append(_start(words, environment=environment, log=log))
            exit_code = _wait(ranks, stop=stop, result=result)
        finally:
            for each in ranks:
                each.kill()
                each.wait()
    if result.is_file():  # the others have nothing left to do then
        return
    if stop.at is not None:
        raise Stopped("Stopped; run again to go on")
    if exit_code == 0:
        return
    if failure.is_file():
        reason = json.loads(failure.read_text(encoding="utf-8"))
        raise RankFailed(reason["message"], exit_code=reason["exit_code"])
    why = explain_status(exit_code)
    raise explain_logs(folder / LOGS) or OcrError(
        f"A rank died (exit code {exit_code}{': ' * bool(why)}{why}), see {folder / LOGS}; "
        "run again to go on"
    )


class RankFailed(OcrError):
    """The failure of a rank, with its message and exit code."""

    def __init__(self, message: str, *, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def rank_environment(
    given: Mapping[str, str],
    *,
    address: Address,
    resources: ResourceParams,
    node: int,
    local: int,
) -> dict[str, str]:
    """Return the environment of a rank, without anything secret."""
    own = name_rank(
        address,
        rank=node * resources.devices + local,
        count=resources.nodes * resources.devices,
        local=local,
        device=resources.device,
    )
    return {key: value for key, value in given.items() if is_passed_on(key)} | {
        **own,
        PARENT: str(os.getpid()),
    }


def report_failure(folder: Path, error: OcrError) -> None:
    """Leave the reason of this rank's end for `launch_ranks`; the first to come counts.

    Why ranks stalled, NCCL may have written into their logs. A rank whose launcher is gone says
    nothing: another may run here by now.
    """
    if not all(map(is_alive, parent_processes())):
        return
    known = explain_logs(folder / LOGS) if isinstance(error, Stalled) else None
    message = f"{error}; {known}" if known else str(error)
    part, failure = folder / f".{uuid4().hex}.part", folder / FAILURE
    with suppress(OSError):  # a rank that cannot tell why ends all the same
        part.write_text(json.dumps({"message": message, "exit_code": error.exit_code}), "utf-8")
        try:
            os.link(part, failure)  # whole from its first moment
        except OSError:  # it is there, or this file system has no links
            if not failure.exists():
                part.replace(failure)
    part.unlink(missing_ok=True)


def parent_processes() -> list[int]:
    """Return the processes that this rank is not to outlive."""
    launched_by = os.environ.get(PARENT)
    return [int(launched_by)] if launched_by else []


def _start(
    words: Sequence[str], *, environment: Mapping[str, str], log: Path
) -> "subprocess.Popen[bytes]":
    with log.open("wb") as said:
        return subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )


def _wait(ranks: "Sequence[subprocess.Popen[bytes]]", *, stop: StopRequest, result: Path) -> int:
    """Wait for all, or for the first that fails, as long as they have; return its status or 0.

    Ranks that are told to stop may all take their time, however one of them ends.
    """
    end, is_told = math.inf, False
    while True:
        if stop.at is not None and not is_told:
            is_told, end = True, min(end, time.monotonic() + STOP_S)
            for each in ranks:
                each.terminate()
        if result.is_file():
            end = min(end, time.monotonic() + AFTER_RESULT_S)
        statuses = [each.poll() for each in ranks]
        failed = [status for status in statuses if status]
        if None not in statuses or (failed and stop.at is None) or time.monotonic() > end:
            return next(iter(failed), 0)
        time.sleep(POLL_S)
