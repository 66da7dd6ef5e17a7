"""An interpreter that is a container: what it may, and that nothing of it stays.

Docker is a stub here that runs the image's entry point on this machine; `docs/guide/serving.md`
says how the tests of this folder run with a real one.
"""

import os
import shutil
import signal
from pathlib import Path

import numpy as np
import psutil
import pytest

from ocr.errors import BadData
from serving.engines.pipeline_process import SERVICE, PipelineProcess
from tests.serving.engines.serving_runtime import RUNTIME, find_serving_runtime

DEPLOY = SERVICE.parents[2] / "deploy" / "paddle_serving"
INTERPRETER = DEPLOY / "python_in_container.sh"
X = np.zeros((1, 3, 32, 64), np.float32)
DOCKER = """#!/bin/sh
printf '%s\\n' "$@" > "{folder}/asked"
while [ "$1" != ocrline-paddle-serving ]; do shift; done
shift
PATH={folder}/image:$PATH exec sh {entrypoint} "$@"
"""

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stub before any docker; return the folder where it writes what it is asked."""
    find_serving_runtime()
    (tmp_path / "bin").mkdir()
    (tmp_path / "image").mkdir()
    python = tmp_path / "image" / "python"
    python.write_text(f'#!/bin/sh\nexec {RUNTIME} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    stub = tmp_path / "bin" / "docker"
    entrypoint = DEPLOY / "entrypoint.sh"
    stub.write_text(DOCKER.format(folder=tmp_path, entrypoint=entrypoint), encoding="utf-8")
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


def test_a_container_sees_its_three_folders_and_nothing_else(docker: Path, lines: Path) -> None:
    process = PipelineProcess(INTERPRETER, lines, version="toy:v1")
    process.wait_until_up()
    answer = process.run(X, timeout_s=30)
    process.end()

    asked = (docker / "asked").read_text(encoding="utf-8").splitlines()
    mounts = [asked[at + 1] for at, word in enumerate(asked) if word == "--volume"]
    code, model, socket = SERVICE.parent, lines / "serving", process.socket.parent
    assert answer.shape[0] == 1
    assert mounts == [f"{code}:{code}:ro", f"{model}:{model}:ro", f"{socket}:{socket}"]
    assert {"--network", "none", "--read-only", "--cap-drop", "ALL"} <= set(asked)


def test_a_hung_interpreter_ends_with_its_container(docker: Path, lines: Path) -> None:
    process = PipelineProcess(INTERPRETER, lines, version="toy:v1")
    process.wait_until_up()
    (python,) = [
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if str(SERVICE) in child.cmdline() and child.name() != "sh"
    ]
    os.kill(python.pid, signal.SIGSTOP)

    process.end()

    assert psutil.wait_procs([python], timeout=60)[1] == []


def test_a_model_that_does_not_load_ends_the_container(
    docker: Path, lines: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(lines, broken)
    parameters = broken / "serving/inference.pdiparams"
    parameters.write_bytes(parameters.read_bytes()[: parameters.stat().st_size // 2])
    process = PipelineProcess(INTERPRETER, broken, version="toy:v1")

    with pytest.raises(BadData, match="does not load broken"):
        process.wait_until_up()

    process.end()
