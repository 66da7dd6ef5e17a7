"""How jobs in containers end, by a docker that runs them here."""

import json
import os
from pathlib import Path

import psutil
import pytest

from ocr.errors import BadData, BadInput, OcrError, TrainingFailed
from ocr.machine.limits import MEBIBYTE
from tasks.run.jobs import JobDied, JobEnded
from tests.tasks.run.stub_docker import (
    IMAGE,
    WRITE_RESULT,
    StubDocker,
    run,
    train_job,
    values,
)


@pytest.fixture
def docker(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> StubDocker:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return StubDocker(tmp_path_factory.mktemp("docker"), monkeypatch)


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ("echo 'error: what it says' >&2; exit 3", BadData, "^what it says$"),
        ("exit 137", JobDied, "status 137: it said nothing; killed"),
        ("echo 'docker: what it says' >&2; exit 125", BadInput, "^docker: what it says$"),
        ("echo 'no python' >&2; exit 127", BadInput, "stub is no image of jobs: no python; build"),
    ],
)
def test_an_end_means_what_it_means_of_a_process(
    tmp_path: Path, docker: StubDocker, script: str, error: type[OcrError], message: str
) -> None:
    docker.run_as(script)

    with pytest.raises(error, match=message):
        run(train_job(str(tmp_path)), tmp_path / "job")


def test_a_job_without_memory_says_what_to_raise(tmp_path: Path, docker: StubDocker) -> None:
    docker.run_as("exit 137")
    docker.answer("inspect", "true")

    with pytest.raises(TrainingFailed, match=r"left of 0\.5 GiB; raise resources\.memory_gib"):
        run(train_job(str(tmp_path), memory_gib=0.5), tmp_path / "job")


@pytest.mark.parametrize(
    ("command", "said", "message"),
    [
        ("version", "Cannot connect to the daemon", "does not answer: Cannot .*systemctl start"),
        ("version", "permission denied", "does not answer: permission denied; .*group docker"),
        ("image", "No such image", f"there is no {IMAGE} on this machine; build it: make image"),
    ],
)
def test_what_docker_lacks_is_named(
    tmp_path: Path, docker: StubDocker, command: str, said: str, message: str
) -> None:
    docker.run_as("echo 'docker: Error response' >&2; exit 125")
    docker.answer(command, said, status=1)

    with pytest.raises(BadInput, match=message):
        run(train_job(str(tmp_path)), tmp_path / "job")


def test_without_docker_the_error_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(BadInput, match="docker is not on PATH; install it"):
        run(train_job(str(tmp_path)), tmp_path / "job")


def test_a_container_of_a_killed_run_ends_first_and_none_is_left(
    tmp_path: Path, docker: StubDocker
) -> None:
    docker.run_as(WRITE_RESULT)

    run(train_job(str(tmp_path)), tmp_path / "job")

    name = next(values(docker.options(), "--name"))
    calls = [(call[0], call[-1] if call[0] != "run" else name) for call in docker.calls()]
    assert calls[:2] == calls[-2:] == [("stop", name), ("rm", name)]
    between = calls[2:-2]  # docker is asked for the process until there is one, beside its start
    assert [call for call in between if call[0] != "inspect"] == [("run", name)]
    assert ("inspect", name) in between


def test_memory_is_that_of_the_process_that_docker_names(
    tmp_path: Path, docker: StubDocker
) -> None:
    asked = 'grep -q inspect "$(dirname "$(command -v docker)")/../calls"'
    docker.run_as(f"for i in $(seq 100); do {asked} && break; sleep 0.1; done; {WRITE_RESULT}")
    docker.answer("inspect", str(os.getpid()))
    before = psutil.Process().memory_info().rss / MEBIBYTE

    run(train_job(str(tmp_path)), tmp_path / "job")

    usage = json.loads((tmp_path / "job" / "usage.json").read_bytes())
    assert usage["peak_memory_mib"] >= before / 2


def test_two_folders_have_two_containers(tmp_path: Path, docker: StubDocker) -> None:
    docker.run_as(WRITE_RESULT)

    run(train_job(str(tmp_path)), tmp_path / "a")
    first = next(values(docker.options(), "--name"))
    run(train_job(str(tmp_path)), tmp_path / "b")

    assert next(values(docker.options(), "--name")) != first


def test_a_job_of_a_run_that_failed_elsewhere_is_ended(
    tmp_path: Path, docker: StubDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker.run_as(f"echo $$ > {tmp_path}/pid; trap 'exit 130' TERM; sleep 600 & wait")
    monkeypatch.setattr("tasks.run.jobs.is_ended", (tmp_path / "pid").exists)

    with pytest.raises(JobEnded, match="continues where it was"):
        run(train_job(str(tmp_path)), tmp_path / "job")

    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
