"""What ends a training that cannot go on: one clear line and the right exit code."""

import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ocr.errors import TrainingFailed
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import ROOT, run
from training.loop.guards import LossCheck, StopRequest, Watchdog, is_alive

BROKEN_TRAINING = """
import sys, time
from pathlib import Path
from typing import Any
from training.__main__ import main
from training.environment import prepare_environment
prepare_environment()
{breakage}
sys.exit(main(["train-recogniser", sys.argv[1]]))
"""

HUNG_LOADER = """
from training.recognition.batches import CropBatchMaker
make = CropBatchMaker.make
CropBatchMaker.make = lambda self, step: make(self, step) if step < 3 else time.sleep(1000)
"""

BROKEN_LOADER = """
from ocr.errors import BadData
from training.recognition.batches import CropBatchMaker
def make(self, step):
    raise BadData("crop 7 is gone")
CropBatchMaker.make = make
"""

SLOW_DATA = """
import training.rank
from ocr.errors import BadData
def load(job, folder, *, ranks):
    time.sleep(3)
    raise BadData("crop 7 is gone")
training.rank.OPENERS["train-recogniser"] = load
"""

BAD_LOSS = """
import training.recognition.trainee
recognition_loss = training.recognition.trainee.recognition_loss
def spoil(logits, batch, *, guide):
    loss, nats = recognition_loss(logits, batch, guide=guide)
    return loss, nats * float("nan")
training.recognition.trainee.recognition_loss = spoil
"""

# A file may grow to 400 kB and no further, from the second checkpoint on.
FULL_DISK = """
import resource
from training.loop import loop, state
def save(folder, value):
    if value.step > 2:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    state.save_state(folder, value)
loop.save_state = save
"""


@pytest.mark.parametrize(
    ("breakage", "options", "code", "message"),
    [
        (HUNG_LOADER, {"no_progress_timeout_s": 3}, 4, "No step finished for 3 s"),
        (BROKEN_LOADER, {}, 3, "error: crop 7 is gone"),
        (SLOW_DATA, {"no_progress_timeout_s": 1}, 3, "error: crop 7 is gone"),
        (BAD_LOSS, {}, 4, "error: The loss is nan at step 1: lower learning_rate"),
        (FULL_DISK, {"checkpoint_every_s": 1e-3}, 4, "the one of step 2 is intact"),
    ],
)
def test_a_training_that_cannot_go_on_says_why(
    breakage: str,
    options: dict[str, Any],
    code: int,
    message: str,
    digits: dict[str, str],
    tmp_path: Path,
) -> None:
    job = write_recogniser_job(tmp_path, digits, composition={"enabled": False}, **options)

    process = subprocess.run(
        [sys.executable, "-c", BROKEN_TRAINING.format(breakage=breakage), str(job)],
        cwd=ROOT, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip

    assert (process.returncode, process.stdout) == (code, "")
    assert message in process.stderr.splitlines()[-1]
    assert not (tmp_path / "result.json").exists()


def test_work_goes_on_once_the_disk_has_room(digits: dict[str, str], tmp_path: Path) -> None:
    job = write_recogniser_job(
        tmp_path, digits, composition={"enabled": False}, checkpoint_every_s=1e-3
    )
    program = BROKEN_TRAINING.format(breakage=FULL_DISK)
    subprocess.run(
        [sys.executable, "-c", program, str(job)],
        cwd=ROOT, capture_output=True, timeout=280, check=False,
    )  # fmt: skip

    code, errors = run(job)

    assert code == 0, errors


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_the_first_bad_loss_is_named_by_its_step(bad: float) -> None:
    check = LossCheck(skips=0)
    assert check.keep_finite([1.0, 2.0], last_step=10) == [1.0, 2.0]

    with pytest.raises(TrainingFailed, match="at step 12"):
        check.keep_finite([1.0, bad, bad], last_step=13)


def test_a_watchdog_that_is_closed_ends_nothing() -> None:
    watchdog = Watchdog(
        timeout_s=1e-6, stop=StopRequest(), parents=[os.getpid()], fail=lambda _: None
    )

    watchdog.close()

    assert "watchdog" not in [thread.name for thread in threading.enumerate()]


def test_a_process_that_ended_is_not_alive_though_nobody_asked_for_its_status() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

        assert not is_alive(process.pid)

    assert not is_alive(process.pid)
    assert is_alive(os.getpid())


@pytest.mark.usefixtures("hears_interrupts")
@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_a_training_is_heard_but_for_what_a_background_ignores(
    ignored: signal.Signals,
) -> None:
    before = signal.signal(ignored, signal.SIG_IGN)
    try:
        stop = StopRequest()
        with stop.listening():
            signal.raise_signal(signal.SIGINT)
            assert (stop.at is None) == (ignored is signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
            assert stop.at is not None
        assert signal.getsignal(ignored) is signal.SIG_IGN
    finally:
        signal.signal(ignored, before)
