"""Starts the ranks of a data-parallel training and reports their failure as its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from ocr.errors import OcrError
from ocr.machine.failures import explain_logs, explain_status
from ocr.models.provenance import COMMIT
from training.job import MAILBOX
from training.loop.guards import Stalled, Stopped

FAILURE = "failure.json"
LOGS = "ranks"
PARENT = "OCRLINE_TRAINING_PARENT"

# Paddle's launcher writes its environment into its logs: nothing secret may be in it.
_NAMES = {"HOME", "LANG", "LANGUAGE", COMMIT, "PATH", "TMPDIR", "TZ", "TZDIR", "USER"}
_GROUPS = (
    *("CUDA", "CPU_", "FLAGS_", "GLOO", "KMP_", "LC_", "LD_", "MKL_", "NCCL", "NVIDIA_DRIVER_"),
    *("NVIDIA_REQUIRE_", "NVIDIA_TF32_", "NVIDIA_VISIBLE_", "OMP_", "OPENBLAS", "PYTHON"),
    "VIRTUAL_ENV",
)


def is_passed_on(variable: str) -> bool:
    """Whether a variable is one that processes of a training need; LANGCHAIN_API_KEY is none."""
    return variable in _NAMES or variable.startswith(_GROUPS)


def launch_ranks(folder: Path, *, command: str, device: str, devices: int) -> None:
    """Run ``python -m training COMMAND FOLDER/job.json`` once per device and wait.

    Raises:
        Stopped: SIGTERM arrived, and was passed on.
        OcrError: A rank failed; the error has its message and exit code.
    """
    failure = folder / FAILURE
    failure.unlink(missing_ok=True)
    shutil.rmtree(folder / MAILBOX, ignore_errors=True)  # of an earlier run
    (folder / LOGS).mkdir(exist_ok=True)
    with (folder / LOGS / "launcher.log").open("ab") as log:
        launcher = subprocess.Popen(
            launch_command(folder, command=command, devices=devices),
            env=rank_environment(os.environ, device=device, devices=devices),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        exit_code = _wait(launcher)
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


def launch_command(folder: Path, *, command: str, devices: int) -> list[str]:
    """Return the command of paddle's launcher, which starts what does not end in .py as it is.

    It gives rank n the n-th visible GPU, whatever CUDA_VISIBLE_DEVICES calls it.
    """
    launcher = [sys.executable, "-m", "paddle.distributed.launch"]
    launcher += ["--nproc_per_node", str(devices), "--host", "127.0.0.1"]
    launcher += ["--log_dir", str(folder / LOGS), "--log_overwrite", "true"]
    return [*launcher, sys.executable, "-u", "-m", "training", command, str(folder / "job.json")]


def rank_environment(given: Mapping[str, str], *, device: str, devices: int) -> dict[str, str]:
    """Return the environment of the launcher and its ranks, without anything secret."""
    environment = {key: value for key, value in given.items() if is_passed_on(key)}
    environment["PADDLE_DISTRI_BACKEND"] = "nccl" if device == "gpu" else "gloo"
    environment[PARENT] = str(os.getpid())
    if device == "cpu":  # no GPU, and as many of them as the launcher wants to give away
        environment["CUDA_VISIBLE_DEVICES"] = ",".join(["-1"] * devices)
    return environment


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
    return [os.getppid(), int(launched_by)] if launched_by else []


def _wait(launcher: "subprocess.Popen[bytes]") -> int:
    asked_to_stop = False

    def pass_on(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked_to_stop
        if not asked_to_stop:
            asked_to_stop = True
            launcher.terminate()

    before = signal.signal(signal.SIGTERM, pass_on)
    try:
        exit_code = launcher.wait()
    except KeyboardInterrupt:
        launcher.terminate()
        launcher.wait()
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
    if asked_to_stop:
        raise Stopped("Stopped; run again to go on")
    return exit_code
