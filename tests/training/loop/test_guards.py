"""What ends a training that cannot go on: one clear line and the right exit code."""

import json
import math
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ocr.errors import TrainingFailed
from tests.training.toy_job import ROOT, make_snapshot, run, write_job
from training.loop.guards import StopRequest, Watchdog, check_finite

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
    job = write_job(tmp_path, digits, composition={"enabled": False}, **options)

    process = subprocess.run(
        [sys.executable, "-c", BROKEN_TRAINING.format(breakage=breakage), str(job)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert (process.returncode, process.stdout) == (code, "")
    assert message in process.stderr.splitlines()[-1]
    assert not (tmp_path / "result.json").exists()


def test_work_goes_on_once_the_disk_has_room(digits: dict[str, str], tmp_path: Path) -> None:
    job = write_job(tmp_path, digits, composition={"enabled": False}, checkpoint_every_s=1e-3)
    program = BROKEN_TRAINING.format(breakage=FULL_DISK)
    subprocess.run(
        [sys.executable, "-c", program, str(job)],
        cwd=ROOT, capture_output=True, timeout=120, check=False,
    )  # fmt: skip

    code, errors = run(job)

    assert code == 0, errors


def test_a_text_that_is_too_long_for_the_net_is_named(tmp_path: Path) -> None:
    texts = {"train": ["12", "123456789012"], "val": ["56"], "test": ["34"]}
    job = write_job(tmp_path / "job", make_snapshot(tmp_path / "data", texts=texts), width_px=32)

    code, errors = run(job)

    assert code == 3
    assert "such as '123456789012': 32 px give 8 frames; raise width_px" in errors


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"training": {"epocs": 3}}, "training.epocs: unknown key"),
        ({"training": {"epochs": 0}}, "training.epochs: 0 is not allowed"),
        ({"kind": "export-recogniser"}, "kind: 'export-recogniser' is not allowed"),
        ({"extra": 1}, "extra: unknown key"),
        ({"resources": {"device": "gpu"}}, "resources.device: gpu, but this Paddle"),
        ({"training": {"amp": "O1"}}, "training.amp: O1 needs resources.device: gpu"),
        ({"snapshot": "datasets/none"}, "datasets/none"),
    ],
)
def test_a_wrong_job_is_named(
    change: dict[str, object], message: str, digits: dict[str, str], tmp_path: Path
) -> None:
    path = write_job(tmp_path, digits)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    code, errors = run(path)

    assert code == 2
    assert message in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_job_that_is_not_there_or_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text("{")

    assert run(tmp_path / "none.json")[0] == 2
    assert run(tmp_path / "job.json")[0] == 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_the_first_bad_loss_is_named_by_its_step(bad: float) -> None:
    check_finite([1.0, 2.0], last_step=10)

    with pytest.raises(TrainingFailed, match="at step 9"):
        check_finite([1.0, bad, bad], last_step=10)


def test_a_watchdog_that_is_closed_ends_nothing() -> None:
    watchdog = Watchdog(
        timeout_s=1e-6, stop=StopRequest(), parents=[os.getpid()], fail=lambda _: None
    )

    watchdog.close()

    assert "watchdog" not in [thread.name for thread in threading.enumerate()]
