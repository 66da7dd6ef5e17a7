"""A failure of Paddle in the middle of a training: a sentence for people, all of it in the log."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from configs.jobs import TrainRecogniserJob
from ocr.errors import TrainingFailed
from tests.ocr.machine.test_failures import GPU_MEMORY, NCCL_TIMEOUT
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import ROOT
from training.job import fetch_snapshot, read_job
from training.launch import report_failure
from training.loop.guards import Stalled

BROKEN_NET = """
import sys
from training.__main__ import main
from training.environment import prepare_environment
prepare_environment()
from training.loop.learner import Learner
def learn(self, batch, **_):
    raise MemoryError({message!r})
Learner.learn = learn
sys.exit(main([sys.argv[1], sys.argv[2]]))
"""


@pytest.mark.parametrize("command", ["train-recogniser", "rank-recogniser"])
def test_a_sentence_comes_last_and_the_original_stays_in_the_log(
    command: str, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, composition={"enabled": False})
    fetch_snapshot(read_job(job, TrainRecogniserJob), tmp_path)

    process = subprocess.run(
        [sys.executable, "-c", BROKEN_NET.format(message=GPU_MEMORY), command, str(job)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert process.returncode == TrainingFailed.exit_code
    assert process.stderr.splitlines()[-1].startswith("error: GPU 0 has no memory left: 98.")
    assert "cuda_allocator.cc:86" in process.stderr
    assert "in learn" in process.stderr
    if command == "rank-recogniser":
        assert "GPU 0 has no memory left" in (tmp_path / "failure.json").read_text()


@pytest.mark.parametrize(("log", "known"), [(NCCL_TIMEOUT, True), ("all is well", False)])
def test_ranks_that_stalled_say_what_nccl_wrote(log: str, known: bool, tmp_path: Path) -> None:
    (tmp_path / "ranks").mkdir()
    (tmp_path / "ranks" / "workerlog.1").write_text(log, encoding="utf-8")

    report_failure(tmp_path, Stalled("No step finished for 300 s"))

    told = json.loads((tmp_path / "failure.json").read_text())
    assert told["exit_code"] == TrainingFailed.exit_code
    assert told["message"].startswith("No step finished for 300 s")
    assert ("NCCL_SOCKET_IFNAME" in told["message"]) is known
