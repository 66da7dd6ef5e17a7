"""A job as a process of this machine, with our interpreter and all that our environment says."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from ocr.errors import OcrError

GRACE_S = 30


class JobProcess:
    """One job; nothing of it is left once it was ended."""

    def start(
        self, kind: str, folder: Path, *, out: IO[bytes], err: IO[bytes], inherit: Sequence[int]
    ) -> "subprocess.Popen[bytes]":
        """Start it in our process group, so that cancelling the run ends it too."""
        return subprocess.Popen(
            [sys.executable, "-m", "training", kind, str(folder / "job.json")],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=_environment(),
            pass_fds=inherit,
        )

    def find_job(self, process: "subprocess.Popen[bytes]") -> int:
        """Return what was started: it is the job."""
        return process.pid

    def end(self, process: "subprocess.Popen[bytes]") -> None:
        """End it, if it has not."""
        end_process(process)

    def explain(self, status: int, said: str) -> OcrError | None:  # noqa: ARG002 - as of any
        """Know no more of its end than its status says."""
        return None


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """Give a process the time to keep its work, then end it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    # It ends when we do, and runs our code, not a training.py of the current folder.
    return {**kept, "OCRLINE_TASK_PID": str(os.getpid()), "PYTHONSAFEPATH": "1"}
