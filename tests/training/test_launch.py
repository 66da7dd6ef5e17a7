"""Data-parallel ranks: equal weights, one answer, no orphans, no secrets."""

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from configs.training import ResourceParams
from ocr.errors import OcrError
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import curve, reached, run, start
from training import meeting
from training.launch import launch_ranks, rank_environment
from training.loop.progress import read_events
from training.meeting import FREE_PORTS, HERE, find_port

OPTIONS: dict[str, Any] = {"epochs": 4, "evaluations": 4, "composition": {"enabled": False}}

STEP_TOLERANCE, CURVE_TOLERANCE = 0.35, 0.1


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


def test_any_number_of_ranks_learns_what_one_process_does(
    uninterrupted: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    for devices in (1, 4):
        options = OPTIONS | {"evaluations": 1, "batch_size": 16 // devices}
        job = write_recogniser_job(tmp_path / str(devices), digits, devices=devices, **options)
        code, errors = run(job)
        assert code == 0, errors

    alone, *shared = (
        np.array([event["loss"] for event in steps_of(folder)])
        for folder in (tmp_path / "1", uninterrupted, tmp_path / "4")
    )
    for each in shared:  # batch norms see the part of their rank
        assert np.abs(each / alone - 1).max() < STEP_TOLERANCE
        assert abs(each.mean() / alone.mean() - 1) < CURVE_TOLERANCE


SLOW = """
import os, time
if os.environ.get("PADDLE_TRAINER_ID") == "1":
    sleep = time.sleep
    time.sleep = lambda seconds: sleep(3 if seconds == 0.01 else seconds)
"""

ABORTED = """
import atexit, os, time
if os.environ.get("PADDLE_TRAINER_ID") == "1":
    atexit.register(os.abort)
if os.environ.get("PADDLE_TRAINER_ID") == "0":
    replace = os.replace
    def replace_late(part, path):
        time.sleep(3 * (path.name == "result.json"))
        replace(part, path)
    os.replace = replace_late
"""


@pytest.mark.parametrize("changed", [SLOW, ABORTED])
def test_a_rank_that_looks_late_or_aborts_at_its_end_fails_nothing(
    digits: dict[str, str], tmp_path: Path, changed: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(changed)
    other = os.environ | {"PYTHONPATH": str(tmp_path)}
    options = OPTIONS | {"epochs": 1, "evaluations": 1}

    code, errors = run(
        write_recogniser_job(tmp_path / "job", digits, devices=2, **options), env=other
    )

    assert code == 0, errors


BROKEN = """
import os
if os.environ.get("PADDLE_TRAINER_ID") == "0":
    def replace(part, path):
        raise KeyError(path.name)
    os.replace = replace
"""


def test_what_nobody_foresaw_is_told_as_it_is(digits: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN)
    other = os.environ | {"PYTHONPATH": str(tmp_path)}
    options = OPTIONS | {"epochs": 1, "evaluations": 1}

    code, errors = run(
        write_recogniser_job(tmp_path / "job", digits, devices=2, **options), env=other
    )

    assert code == 1
    assert "error: KeyError: " in errors
    assert "job/ranks" in errors


@pytest.mark.parametrize("is_done", [True, False])
def test_a_rank_that_fails_when_there_is_a_result_fails_nothing(
    tmp_path: Path, is_done: bool
) -> None:
    if is_done:
        (tmp_path / "result.json").touch()

    with nullcontext() if is_done else pytest.raises(OcrError, match="A rank died"):
        launch_ranks(tmp_path, command="rank-recogniser", resources=ResourceParams(devices=2))


def test_logs_of_runs_before_explain_nothing(tmp_path: Path) -> None:
    (tmp_path / "ranks").mkdir()
    (tmp_path / "ranks" / "workerlog.7").write_text("No space left on device")

    with pytest.raises(OcrError, match="A rank died"):
        launch_ranks(tmp_path, command="rank-recogniser", resources=ResourceParams(devices=1))

    assert [log.name for log in (tmp_path / "ranks").iterdir()] == ["workerlog.0"]


def test_no_connection_begins_where_ranks_are_to_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    place = find_port()
    monkeypatch.setattr(meeting, "FREE_PORTS", range(place, place + 100))

    assert place in FREE_PORTS
    with socket.create_server(("127.0.0.2", place)):  # the store would answer there, too
        assert place not in {find_port() for _ in range(9)}


def test_no_secret_reaches_the_logs(uninterrupted: Path) -> None:
    logs = [path for path in (uninterrupted / "ranks").rglob("*") if path.is_file()]

    assert len(logs) == 2
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
        _, errors = process.communicate(timeout=200)
    wait_for(lambda: not find_ranks(job))
    code, _ = run(job)

    assert process.returncode == 1
    assert errors.strip().endswith("run again to go on")
    assert code == 0
    assert curve(tmp_path) == curve(uninterrupted)


def test_ranks_do_not_outlive_what_started_them(digits: dict[str, str], tmp_path: Path) -> None:
    job = write_recogniser_job(tmp_path, digits, devices=2, **OPTIONS | {"epochs": 1000})

    with start(job) as process:
        wait_for(lambda: reached(tmp_path / "metrics.jsonl", 1))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=200)

    wait_for(lambda: not find_ranks(job))
    assert not find_ranks(job)


def test_sigterm_keeps_the_work_of_all_ranks(digits: dict[str, str], tmp_path: Path) -> None:
    job = write_recogniser_job(
        tmp_path, digits, devices=2, **OPTIONS | {"epochs": 1000, "checkpoint_every_s": 1000}
    )

    with start(job) as process:
        wait_for(lambda: reached(tmp_path / "metrics.jsonl", 2))
        process.terminate()
        _, errors = process.communicate(timeout=200)

    assert process.returncode == 128 + signal.SIGTERM, errors
    assert len(list((tmp_path / "state").iterdir())) == 1
    assert not find_ranks(job)


def test_only_what_a_rank_needs_is_passed_on() -> None:
    secrets = ["AWS_SECRET_ACCESS_KEY", "MINIO_SECRET_KEY", "LANGCHAIN_API_KEY", "NVIDIA_API_KEY"]
    secrets += ["HOMEBREW_GITHUB_API_TOKEN", "USERPASSWORD", "PATH_TOKEN"]
    given = {"PATH": "/bin", "OMP_X": "1", **dict.fromkeys(secrets, "x")}

    passed = environment(given, device="gpu", local=1)

    own = {key for key in passed if not key.startswith(("PADDLE_", "MASTER_"))}
    ours = {"FLAGS_selected_gpus", "NCCL_SOCKET_IFNAME", "OCRLINE_TRAINING_PARENT"}
    assert own == {"PATH", "OMP_X", *ours}
    assert passed["PADDLE_DISTRI_BACKEND"] == "nccl"
    assert environment({}, device="cpu", local=0)["PADDLE_DISTRI_BACKEND"] == "gloo"


def test_each_rank_has_one_of_the_visible_gpus_and_none_on_processors() -> None:
    given = {"CUDA_VISIBLE_DEVICES": "GPU-5e1a,GPU-c0de"}

    second = environment(given, device="gpu", local=1)

    assert second["CUDA_VISIBLE_DEVICES"] == "GPU-5e1a,GPU-c0de"
    assert second["FLAGS_selected_gpus"] == "1"
    assert environment(given, device="cpu", local=1)["CUDA_VISIBLE_DEVICES"] == "-1"


def environment(given: dict[str, str], *, device: str, local: int) -> dict[str, str]:
    resources = ResourceParams.model_validate({"device": device, "devices": 2})
    return rank_environment(given, address=(HERE, 1), resources=resources, node=0, local=local)


def find_ranks(job: Path) -> list[int]:
    return find_processes("training\0rank", job)


def find_processes(word: str, job: Path) -> list[int]:
    """Return the processes whose command line has a word and the job, in order of age."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if word in line and str(job) in line:
            found.append(int(folder.name))
    return sorted(found)


def steps_of(folder: Path) -> list[dict[str, Any]]:
    return [one for one in read_events(folder / "metrics.jsonl") if one["event"] == "step"]


def wait_for(fact: Callable[[], bool], *, timeout_s: float = 200) -> None:
    deadline = time.monotonic() + timeout_s
    while not fact():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.02)
