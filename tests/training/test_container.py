"""What a job hears of its task on standard input, as in a container."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from configs.jobs import ContainerTask
from ocr.models.provenance import describe_code
from training.container import LISTENS

JOB = """
import os, signal
from training.container import listen_to_the_task
listen_to_the_task("export-detector")
print(os.environ.get("MINIO_SECRET_KEY"), os.environ.get("OCRLINE_COMMIT"), flush=True)
signal.pause()
"""
TASK = ContainerTask(
    code=describe_code("export-detector"),
    commit="a commit",
    environment={"MINIO_SECRET_KEY": "a" * 100_000},
)


@contextmanager
def running(said: str) -> Iterator["subprocess.Popen[str]"]:
    environment = os.environ | {LISTENS: "1"}
    with subprocess.Popen(
        [sys.executable, "-c", JOB],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as job:
        assert job.stdin
        job.stdin.write(said)
        job.stdin.flush()
        try:
            yield job
        finally:
            job.kill()


def test_a_job_knows_what_its_task_says_and_ends_with_it() -> None:
    with running(TASK.model_dump_json() + "\n") as job:
        assert job.stdin
        assert job.stdout

        heard = job.stdout.readline()
        job.stdin.close()

        assert heard == f"{'a' * 100_000} a commit\n"
        assert job.wait(60) == -signal.SIGTERM


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("", "The task ended before it said"),
        (
            TASK.model_copy(update={"code": {**TASK.code, "numpy": "0.9"}}).model_dump_json()
            + "\n",
            f"it has numpy {TASK.code['numpy']} instead of 0.9, .*make image",
        ),
    ],
)
def test_a_job_that_is_not_the_tasks_does_nothing(said: str, message: str) -> None:
    with running(said) as job:
        out, errors = job.communicate(timeout=60)

    assert out == ""
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(errors)
