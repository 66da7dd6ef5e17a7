"""One process per job: it ends with its task, and waits for one that is still ending."""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ocr.errors import OcrError

TASK = "OCRLINE_TASK_PID"
PR_SET_PDEATHSIG = 1
PATIENCE_S = 60


def end_with_the_task() -> None:
    """Get SIGTERM when the task that started this process dies (Linux), however it dies."""
    task = os.environ.get(TASK)
    if task is None:
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(task):
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def alone_in(folder: Path, *, node: int = 0) -> Iterator[None]:
    """Hold this machine's lock of a job's folder; its last holder may still write a checkpoint.

    Raises:
        OcrError: Another process works there and does not end.
    """
    lock = FileLock(folder / (f"lock-{node}" if node else "lock"))
    try:
        lock.acquire(timeout=PATIENCE_S)
    except Timeout:
        raise OcrError(f"Another process works in {folder}; end it, then run again") from None
    try:
        yield
    finally:
        lock.release()
