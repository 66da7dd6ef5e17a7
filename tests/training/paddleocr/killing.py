"""Kills a training by PaddleOCR's trainer with -9 after an epoch, and runs it again."""

import json
import time
from pathlib import Path

import psutil

from configs.jobs import TrainPaddleOcrJob
from tests.training.running import start


def train_twice(job: TrainPaddleOcrJob, folder: Path) -> Path:
    """Train in a folder, killed once after a whole epoch; return the folder."""
    (folder / "job.json").write_text(job.model_dump_json(), encoding="utf-8")
    _kill_after_an_epoch(job, folder)
    with start(folder / "job.json", command=job.kind) as process:
        _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return folder


def _kill_after_an_epoch(job: TrainPaddleOcrJob, folder: Path) -> None:
    state = folder / "kept/state.json"
    with start(folder / "job.json", command=job.kind) as process:
        while not state.is_file() or not json.loads(state.read_text())["epoch"]:
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        left = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate()
    assert left
    gone, alive = psutil.wait_procs(left, timeout=30)
    assert (len(gone), alive) == (len(left), [])
    assert json.loads(state.read_text())["epoch"] < job.training.epochs
