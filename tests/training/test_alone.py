"""One process a job."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

import training.alone
from ocr.errors import OcrError
from training.alone import TASK, alone_in

CHILD = "import time; from training.alone import end_with_the_task; end_with_the_task(); "
TASK_CODE = """
import os, subprocess, sys, time
os.environ["OCRLINE_TASK_PID"] = str(os.getpid())
code = sys.argv[1] + "print('up', flush=True); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-c", code])
time.sleep(60)
"""


def test_job_ends_when_its_task_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TASK_CODE, CHILD], stdout=subprocess.PIPE, text=True
    ) as task:
        assert task.stdout is not None
        up = task.stdout.readline()

        os.kill(task.pid, signal.SIGKILL)
        rest = task.stdout.read()  # ends when the child, who holds the pipe too, has ended

    assert (up, rest) == ("up\n", "")


def test_job_whose_task_is_dead_already_ends_at_once() -> None:
    job = subprocess.run(
        [sys.executable, "-c", CHILD + "time.sleep(60)"],
        env={**os.environ, TASK: "1"},
        timeout=30,
        check=False,
    )

    assert job.returncode == -signal.SIGTERM


def test_folder_that_is_in_use_is_waited_for_and_then_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training.alone, "PATIENCE_S", 0.1)

    with (
        FileLock(tmp_path / "lock"),
        pytest.raises(OcrError, match="Another process works in"),
        alone_in(tmp_path),
    ):
        pass
