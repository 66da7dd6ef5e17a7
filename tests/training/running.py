"""Runs ``python -m training`` as a task does, and compares what two runs left."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from configs.jobs import TrainKind
from training.loop.checkpoint import read_arrays
from training.loop.progress import read_events

ROOT = Path(__file__).resolve().parents[2]
SPEED = {"images_per_s", "seconds_left"}


def write_job(
    folder: Path, snapshot: dict[str, str], *, kind: TrainKind, devices: int, training: Any
) -> Path:
    """Write job.json into a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    resources = {"device": "cpu", "devices": devices}
    job = {"kind": kind, **snapshot, "training": training, "resources": resources}
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    return path


def start(
    job: Path, *, command: TrainKind = "train-recogniser", **options: Any
) -> "subprocess.Popen[str]":
    """Start ``python -m training``."""
    return subprocess.Popen(
        [sys.executable, "-m", "training", command, str(job)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def run(job: Path, *, command: TrainKind = "train-recogniser", **options: Any) -> tuple[int, str]:
    """Run ``python -m training`` to its end; return exit code and stderr."""
    with start(job, command=command, **options) as process:
        _, errors = process.communicate(timeout=400)
    return process.returncode, errors


def end_at(
    job: Path, *, step: int, how: signal.Signals, command: TrainKind = "train-recogniser"
) -> tuple[int, str]:
    """Start a training and signal it once its log reaches a step."""
    log = job.parent / "metrics.jsonl"
    with start(job, command=command) as process:
        while process.poll() is None and not reached(log, step):
            time.sleep(0.01)
        if how is signal.SIGINT:  # a terminal sends it to everyone
            for rank in psutil.Process(process.pid).children():
                rank.send_signal(how)
        process.send_signal(how)
        _, errors = process.communicate(timeout=400)
    return process.returncode, errors


def reached(log: Path, step: int) -> bool:
    return any(event["step"] >= step for event in read_events(log))


def curve(folder: Path) -> list[dict[str, Any]]:
    """Return what was learnt: not whether it went on, nor what the machine lacks."""
    events = read_events(folder / "metrics.jsonl")
    learnt = [event for event in events if event["event"] in ("step", "validation")]
    return [{k: v for k, v in event.items() if k not in SPEED} for event in learnt]


def assert_same_weights(left: Path, right: Path) -> None:
    first = read_arrays(left / "checkpoint" / "model.npz")
    second = read_arrays(right / "checkpoint" / "model.npz")
    assert first.keys() == second.keys()
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name], err_msg=name)
