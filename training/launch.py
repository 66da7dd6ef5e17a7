"""Starts the ranks of a data-parallel training and reports their failure as its own."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from configs.training import ResourceParams
from ocr.errors import OcrError
from ocr.machine.failures import explain_logs, explain_status
from ocr.models.provenance import COMMIT
from training.job import RESULT
from training.loop.guards import GRACE_S, Stalled, Stopped
from training.meeting import HERE, Address, find_port, name_rank
from training.nodes import name_address

FAILURE = "failure.json"
LOGS = "ranks"
PARENT = "OCRLINE_TRAINING_PARENT"
POLL_S = 0.1

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
        Stopped: SIGTERM arrived, and was passed on.
        OcrError: A rank failed before there was a result; the error has its message and exit code.
    """
    failure = folder / FAILURE
    if node == 0:  # the others come later
        failure.unlink(missing_ok=True)
    (folder / LOGS).mkdir(parents=True, exist_ok=True)
    address = name_address(resources) if resources.nodes > 1 else (HERE, find_port())
    words = [sys.executable, "-u", "-m", "training", command, str(folder / "job.json")]
    ranks = []
    try:
        for local in range(resources.devices):
            rank = node * resources.devices + local
            with (folder / LOGS / f"workerlog.{rank}").open("wb") as log:
                environment = rank_environment(
                    os.environ, address=address, resources=resources, node=node, local=local
                )
                ranks.append(
                    subprocess.Popen(
                        words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                    )
                )
        exit_code = _wait(ranks)
    finally:
        for each in ranks:
            each.kill()
            each.wait()
    if exit_code == 0 or (folder / RESULT).is_file():  # the others have nothing left to do then
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

    Why ranks stalled, NCCL may have written into their logs.
    """
    known = explain_logs(folder / LOGS) if isinstance(error, Stalled) else None
    message = f"{error}; {known}" if known else str(error)
    try:
        with (folder / FAILURE).open("x", encoding="utf-8") as stream:
            json.dump({"message": message, "exit_code": error.exit_code}, stream)
    except FileExistsError:
        return


def parent_processes() -> list[int]:
    """Return the processes that this rank is not to outlive."""
    launched_by = os.environ.get(PARENT)
    return [int(launched_by)] if launched_by else []


def _wait(ranks: "Sequence[subprocess.Popen[bytes]]") -> int:
    """Wait for all, or for the first that fails; return its status, 0 if none did."""
    end = math.inf

    def pass_on(_signal: int, _frame: FrameType | None) -> None:
        nonlocal end
        end = min(end, time.monotonic() + GRACE_S + POLL_S * 50)
        for each in ranks:
            each.terminate()

    before = signal.signal(signal.SIGTERM, pass_on)
    try:
        while True:
            statuses = [each.poll() for each in ranks]
            failed = [status for status in statuses if status]
            if None not in statuses or (failed and end == math.inf) or time.monotonic() > end:
                break
            time.sleep(POLL_S)
    finally:
        signal.signal(signal.SIGTERM, before)
    if end < math.inf:
        raise Stopped("Stopped; run again to go on")
    return next(iter(failed), 0)
