"""Data-parallel ranks: equal weights, one answer, no orphans, no secrets."""

import os
import signal
import subprocess
import sys
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
    secrets = ["AWS_SECRET_ACCESS_KEY", "MINIO_SECRET_KEY", "LANGCHAIN_API_KEY", "NVIDIA_API_KEY"]
    secrets += ["HOMEBREW_GITHUB_API_TOKEN", "USERPASSWORD", "PATH_TOKEN"]
    given = {"PATH": "/bin", "OMP_X": "1", **dict.fromkeys(secrets, "x")}

    passed = rank_environment(given, device="gpu", devices=2)

    assert passed.keys() == {"PATH", "OMP_X", "PADDLE_DISTRI_BACKEND", "OCRLINE_TRAINING_PARENT"}
    assert passed["PADDLE_DISTRI_BACKEND"] == "nccl"
    assert rank_environment({}, device="cpu", devices=2)["PADDLE_DISTRI_BACKEND"] == "gloo"


@pytest.mark.parametrize("visible", ["2,3", "GPU-5e1a,GPU-c0de", "7,3,1"])
def test_each_rank_has_one_of_the_visible_gpus(visible: str, tmp_path: Path) -> None:
    seen = ask_ranks(tmp_path, device="gpu", visible=visible)

    assert seen == [f"0 of {visible}", f"1 of {visible}"]


@pytest.mark.parametrize("visible", ["", "2", "0,1,2"])
def test_ranks_on_processors_see_no_gpu(visible: str, tmp_path: Path) -> None:
    seen = ask_ranks(tmp_path, device="cpu", visible=visible)

    assert seen == ["0 of -1,-1", "1 of -1,-1"]


def ask_ranks(folder: Path, *, device: str, visible: str) -> list[str]:
    """Let Paddle's launcher start two ranks; return which GPU, of which, each was given."""
    command = launch_command(folder, command="rank-recogniser", devices=2)
    rank = "from os import environ as e; print(e['FLAGS_selected_gpus'], 'of', e[{!r}])"
    program = [sys.executable, "-c", rank.format("CUDA_VISIBLE_DEVICES")]
    given = os.environ | {"CUDA_VISIBLE_DEVICES": visible}

    launched = subprocess.run(
        [*command[: command.index(sys.executable, 1)], *program],
        env=rank_environment(given, device=device, devices=2),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert launched.returncode == 0, launched.stderr
    logs = [folder / "ranks" / f"workerlog.{rank}" for rank in range(2)]
    return [log.read_text(encoding="utf-8").splitlines()[-1] for log in logs]


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
