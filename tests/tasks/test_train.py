"""What a training makes of a run that trains the same; the training itself is the trainer's."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TRAIN = """
import sys
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.dataset.preparation import SnapshotRef
from tasks.train import train_recogniser

sys.executable = sys.argv[1]
snapshot = SnapshotRef(
    key="datasets/d/0", digest="0", cached=True, counts={}, quarantine=(), lookalikes=(),
    replaced=(), test_digest="",
)
made = train_recogniser.fn(snapshot, RecogniserTrainingParams(), ResourceParams())
print(made.key, made.code, flush=True)
"""
JOB = """#!{python}
import signal, sys, time
from pathlib import Path
from training.alone import end_with_the_task

RESULT = '''{{"kind": "train-recogniser", "checkpoint": "checkpoint", "metrics": {{}},
"timings": {{}}, "environment": {{"code": "c0ffee"}}}}'''
log, go = Path("{folder}/log"), Path("{folder}/go")
folder = Path(sys.argv[-1]).parent

def keep(*_):
    time.sleep(1)  # as a checkpoint takes its time
    (folder / "state").write_text("half")
    sys.exit(130)

signal.signal(signal.SIGTERM, keep)
with log.open("a") as stream:
    stream.write("continues\\n" if (folder / "state").exists() else "starts\\n")
end_with_the_task()
while not go.exists():
    time.sleep(0.05)
(folder / "checkpoint").mkdir()
(folder / "checkpoint" / "model.npz").write_bytes(b"weights")
(folder / "result.json").write_text(RESULT)
"""


class Machine:
    """A home with a store, a job that trains until `go` is there, and runs of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.job = folder / "job"
        self.job.write_text(JOB.format(python=sys.executable, folder=folder))
        self.job.chmod(0o755)

    def train(self) -> "subprocess.Popen[str]":
        """Start a run that trains; what it says is on stderr, the checkpoint's key on stdout."""
        return subprocess.Popen(
            [sys.executable, "-c", TRAIN, str(self.job)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OCRLINE_HOME": str(self.folder / "home"), "OCRLINE_STORE": ""},
        )

    def finish(self) -> None:
        """Let jobs end."""
        (self.folder / "go").touch()

    def jobs(self) -> list[str]:
        """How each job began."""
        log = self.folder / "log"
        return log.read_text().split() if log.exists() else []


def read_until(process: "subprocess.Popen[str]", said: str) -> None:
    """Read what a run says until a line of it says this."""
    assert process.stderr is not None
    while line := process.stderr.readline():
        if said in line:
            return
    pytest.fail(f"the run ended without saying {said!r}")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def first(machine: Machine) -> Iterator["subprocess.Popen[str]"]:
    """A run whose job has begun."""
    with machine.train() as run:
        while not machine.jobs():
            assert run.poll() is None
            time.sleep(0.05)
        yield run
        run.kill()


def test_second_run_waits_for_the_first_and_takes_its_checkpoint(
    machine: Machine, first: "subprocess.Popen[str]"
) -> None:
    with machine.train() as second:
        read_until(second, "waiting for another run of this machine, which makes train-")
        machine.finish()
        keys = [run.communicate(timeout=120)[0] for run in (first, second)]

    assert keys[0] == keys[1]
    assert keys[0].startswith("checkpoints/")
    assert keys[0].endswith(" c0ffee\n")
    assert machine.jobs() == ["starts"]


def test_second_run_goes_on_where_the_first_was_killed(
    machine: Machine, first: "subprocess.Popen[str]"
) -> None:
    with machine.train() as second:
        read_until(second, "waiting for another run")
        first.send_signal(signal.SIGKILL)
        while machine.jobs() == ["starts"]:
            assert second.poll() is None
            time.sleep(0.05)
        machine.finish()
        key, _ = second.communicate(timeout=120)

    assert key.startswith("checkpoints/")
    assert machine.jobs() == ["starts", "continues"]
    assert list((machine.folder / "home" / "jobs").iterdir()) == []
