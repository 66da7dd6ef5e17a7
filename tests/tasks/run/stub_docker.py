"""A docker on PATH that notes what it is told and runs a job here, without any container."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import ExportJob, TrainJob, TrainRecogniserJob, TrainResult
from configs.training import RecogniserTrainingParams, ResourceParams
from tasks.run.jobs import run_job

IMAGE = "ocrline-training:stub"
RESULT = TrainResult(
    kind="train-recogniser", checkpoint="checkpoint", metrics={}, timings={}, environment={}
)
WRITE_RESULT = f'echo \'{RESULT.model_dump_json()}\' > "$(dirname "$4")/result.json"'
PROGRAM = """#!{python} -IS
import json, os, sys
from pathlib import Path

place, image = Path({place!r}), {image!r}
command = sys.argv[1:]
with (place / "calls").open("a") as calls:
    calls.write(json.dumps(command) + "\\n")
if command[0] == "run":
    said = [command[i + 1] for i, word in enumerate(command) if word == "--env"]
    kept = {{k: v for k, v in os.environ.items() if not k.startswith("MINIO_")}}
    job = command[command.index(image) + 2 :]
    script = place / "job"
    program = [str(script)] if script.exists() else [sys.executable]
    os.execve(program[0], [*program, *job], kept | dict(each.split("=", 1) for each in said))
answer = place / command[0]
if answer.exists():
    status, _, text = answer.read_text().partition(" ")
    print(text, file=sys.stderr if int(status) else sys.stdout)
    sys.exit(int(status))
"""


class StubDocker:
    """The stub, told what to answer.

    Containers run our own interpreter with the job's arguments, or a script that stands for it.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        text = PROGRAM.format(python=sys.executable, place=str(folder), image=IMAGE)
        self._write("bin/docker", text)
        monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def answer(self, command: str, text: str, *, status: int = 0) -> None:
        """Let a command of docker, such as `inspect`, say something."""
        (self._folder / command).write_text(f"{status} {text}")

    def run_as(self, script: str) -> None:
        """Let what runs in the container be a shell script; its third argument is job.json."""
        self._write("job", f"#!/bin/sh\n{script}\n")

    def calls(self) -> list[list[str]]:
        """Return the arguments of every call."""
        return [json.loads(line) for line in (self._folder / "calls").read_text().splitlines()]

    def options(self) -> list[str]:
        """Return what the last container was started with, before its image."""
        run = [call for call in self.calls() if call[0] == "run"][-1]
        return run[1 : run.index(IMAGE)]

    def _write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)


def resources(**given: Any) -> ResourceParams:
    return ResourceParams(**{"runtime": "container", "image": IMAGE} | given)


def train_job(store: str, **given: Any) -> TrainRecogniserJob:
    return TrainRecogniserJob(
        store=store,
        snapshot="datasets/none/0",
        training=RecogniserTrainingParams(),
        resources=resources(**given),
    )


def run(job: TrainJob | ExportJob, folder: Path) -> TrainResult:
    return run_job(job, folder=folder, result_type=TrainResult, on_event=lambda _: None)


def values(options: list[str], name: str) -> Iterator[str]:
    return (options[i + 1] for i, word in enumerate(options) if word == name)
