"""Data-parallel ranks: equal weights, one answer, no orphans, no secrets."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import curve, reached, run, start
from training.launch import launch_command, rank_environment
from training.loop.progress import read_events

OPTIONS: dict[str, Any] = {"epochs": 4, "evaluations": 4, "composition": {"enabled": False}}


@pytest.fixture(scope="module")
def uninterrupted(digits: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training on two ranks; they compare their weights at each of four validations."""
    folder = tmp_path_factory.mktemp("ranks")
    secret = os.environ | {"MINIO_SECRET_KEY": "hush-hush"}
    code, errors = run(write_recogniser_job(folder, digits, devices=2, **OPTIONS), env=secret)
    assert code == 0, errors
    return folder


def test_two_ranks_share_the_work(uninterrupted: Path) -> None:
    events = read_events(uninterrupted / "metrics.jsonl")

    assert events[-1]["step"] == 12  # 48 crops, 8 per rank and step, 4 epochs
    assert len([event for event in events if event["event"] == "validation"]) == 4


def test_no_secret_reaches_the_logs(uninterrupted: Path) -> None:
    logs = [path for path in (uninterrupted / "ranks").rglob("*") if path.is_file()]

    assert len(logs) > 4
    assert not [path for path in logs if b"hush-hush" in path.read_bytes()]


def test_the_death_of_a_rank_ends_all_and_the_rerun_goes_on(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(
        tmp_path, digits, devices=2, **OPTIONS | {"checkpoint_every_s": 0.01}
    )

    with start(job) as process:
        wait_for(lambda: reached(tmp_path / "metrics.jsonl", 3))
        os.kill(find_ranks(job)[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
    wait_for(lambda: not find_ranks(job))
    code, _ = run(job)

    assert process.returncode == 1
    assert errors.strip().endswith("run again to go on")
    assert code == 0
    assert curve(tmp_path) == curve(uninterrupted)


@pytest.mark.parametrize("victim", ["parent", "launcher"])
def test_ranks_do_not_outlive_what_started_them(
    victim: str, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, devices=2, **OPTIONS | {"epochs": 1000})

    with start(job) as process:
        wait_for(lambda: reached(tmp_path / "metrics.jsonl", 1))
        os.kill(process.pid if victim == "parent" else find_launcher(job), signal.SIGKILL)
        process.communicate(timeout=60)

    wait_for(lambda: not find_ranks(job))
    assert not find_ranks(job)


def test_sigterm_keeps_the_work_of_all_ranks(digits: dict[str, str], tmp_path: Path) -> None:
    job = write_recogniser_job(
        tmp_path, digits, devices=2, **OPTIONS | {"epochs": 1000, "checkpoint_every_s": 1000}
    )

    with start(job) as process:
        wait_for(lambda: reached(tmp_path / "metrics.jsonl", 2))
        process.terminate()
        _, errors = process.communicate(timeout=60)

    assert process.returncode == 128 + signal.SIGTERM, errors
    assert len(list((tmp_path / "state").iterdir())) == 1
    assert not find_ranks(job)


def test_only_what_a_rank_needs_is_passed_on() -> None:
    given = {"PATH": "/bin", "AWS_SECRET_ACCESS_KEY": "x", "MINIO_SECRET_KEY": "x", "OMP_X": "1"}

    passed = rank_environment(given, device="cpu")

    assert passed.keys() == {"PATH", "OMP_X", "PADDLE_DISTRI_BACKEND", "OCRLINE_TRAINING_PARENT"}
    assert passed["PADDLE_DISTRI_BACKEND"] == "gloo"
    assert rank_environment({}, device="gpu")["PADDLE_DISTRI_BACKEND"] == "nccl"


def test_each_rank_has_a_gpu_of_its_own() -> None:
    command = launch_command(Path("job"), command="rank-recogniser", device="gpu", devices=3)

    assert command[command.index("--devices") + 1] == "0,1,2"
    assert command[command.index("--nproc_per_node") + 1] == "3"


def find_ranks(job: Path) -> list[int]:
    return find_processes("training\0rank", job)


def find_launcher(job: Path) -> int:
    return find_processes("paddle.distributed.launch", job)[0]


def find_processes(word: str, job: Path) -> list[int]:
    """Return the processes whose command line has a word and the job, in order of age."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if word in line and str(job) in line and ("launch" in line) == ("launch" in word):
            found.append(int(folder.name))
    return sorted(found)


def wait_for(fact: Callable[[], bool], *, timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not fact():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.02)
