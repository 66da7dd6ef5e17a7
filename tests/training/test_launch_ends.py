"""How a training on several ranks ends: by stand-ins for ranks that do as they are told."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from configs.training import ResourceParams
from ocr.errors import BadData
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import ROOT
from tests.training.test_launch import OPTIONS, find_ranks
from training import launch
from training.launch import FAILURE, PARENT, launch_ranks, rank_environment, report_failure
from training.meeting import HERE, find_port

STOPPED_AT_START = """
import os, signal, subprocess, sys
from pathlib import Path
from configs.training import ResourceParams
from ocr.errors import OcrError
from training.launch import launch_ranks
class Popen(subprocess.Popen):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        os.kill(os.getpid(), signal.SIGTERM)
subprocess.Popen = Popen
sys.executable, folder = sys.argv[1:]
try:
    launch_ranks(Path(folder), command="rank-recogniser", resources=ResourceParams(devices=2))
except OcrError as error:
    sys.exit(error.exit_code)
"""

FULL_DISK = """
import resource, sys
from pathlib import Path
from ocr.errors import OcrError
from training.launch import report_failure
resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))
report_failure(Path(sys.argv[1]), OcrError("what it says"))
"""


@pytest.fixture
def hung(tmp_path: Path) -> Path:
    """What runs as a rank for minutes: one process, as a shell's children would outlive it."""
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import time; time.sleep(200)' \"$@\"\n")
    path.chmod(0o755)
    return path


@pytest.mark.timeout(100)
def test_ranks_that_hang_after_the_result_are_ended(
    hung: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(hung))
    monkeypatch.setattr(launch, "AFTER_RESULT_S", 0)
    (tmp_path / "result.json").touch()

    launch_ranks(tmp_path, command="rank-recogniser", resources=ResourceParams(devices=2))

    assert not find_ranks(tmp_path / "job.json")


@pytest.mark.parametrize(("is_done", "status"), [(False, 128 + signal.SIGTERM), (True, 0)])
def test_sigterm_while_ranks_start_ends_them_and_fails_nothing_that_is_done(
    hung: Path, tmp_path: Path, is_done: bool, status: int
) -> None:
    if is_done:
        (tmp_path / "result.json").touch()

    ended = subprocess.run(
        [sys.executable, "-c", STOPPED_AT_START, str(hung), str(tmp_path)],
        cwd=ROOT, timeout=100, check=False,
    )  # fmt: skip

    assert ended.returncode == status
    assert not find_ranks(tmp_path / "job.json")


def test_a_rank_that_waits_for_the_others_does_not_outlive_what_started_it(
    digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, devices=2, **OPTIONS)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    of_two = rank_environment(
        os.environ,
        address=(HERE, find_port()),
        resources=ResourceParams(devices=2),
        node=0,
        local=0,
    )

    rank = subprocess.run(
        [sys.executable, "-m", "training", "rank-recogniser", str(job)],
        env=of_two | {PARENT: str(gone.pid)},
        cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip

    assert rank.returncode == 128 + signal.SIGTERM
    assert rank.stderr.endswith("error: The process that started this one is gone\n")


@pytest.mark.parametrize("has_links", [True, False])
def test_the_failure_of_the_first_rank_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    if not has_links:
        monkeypatch.setattr("training.launch.os.link", refuse_link)

    for message in ("first", "second"):
        report_failure(tmp_path, BadData(message))

    told = json.loads((tmp_path / FAILURE).read_text(encoding="utf-8"))
    assert told == {"message": "first", "exit_code": 3}
    assert [path.name for path in tmp_path.iterdir()] == [FAILURE]


def test_a_rank_whose_launcher_is_gone_tells_the_next_one_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    monkeypatch.setenv(PARENT, str(gone.pid))

    report_failure(tmp_path, BadData("late"))

    assert list(tmp_path.iterdir()) == []


def refuse_link(*_: object) -> None:
    """Do as vfat does."""
    raise PermissionError(1, "Operation not permitted")


def test_half_a_failure_is_never_told(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], cwd=ROOT, check=True)

    assert list(tmp_path.iterdir()) == []
