"""What the Prefect UI keeps of a training that failed."""

import os
import subprocess
import sys
from pathlib import Path

RUN = """
import sys
from prefect import flow
from prefect.artifacts import Artifact
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import TrainingFailed
from tasks.train import train_recogniser

@flow
def run():
    sys.executable = sys.argv[1]
    snapshot = SnapshotRef(
        key="datasets/d/0", digest="0", cached=True, counts={}, quarantine=(), lookalikes=(),
        replaced=(), test_digest="",
    )
    train_recogniser(snapshot, RecogniserTrainingParams(), ResourceParams())

try:
    run()
except TrainingFailed:
    print(Artifact.get("train-recogniser-failure").data)
"""
JOB = """#!/bin/sh
folder=$(dirname "$4")
mkdir "$folder/ranks"
echo 'rank 1 says: ``` CUDA error(2)' > "$folder/ranks/workerlog.1"
echo 'Traceback: cuda_allocator.cc' >&2
echo 'error: GPU 0 has no memory left: 9GB more were needed; lower training.batch_size' >&2
exit 4
"""


def test_why_a_training_failed_is_an_artifact_of_its_run(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.write_text(JOB)
    job.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    mine = {
        "OCRLINE_HOME": str(tmp_path / "home"),
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "200",
    }

    ended = subprocess.run(
        [sys.executable, "-c", RUN, str(job)],
        env=kept | mine, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip

    lines = [line for line in ended.stdout.splitlines() if line]
    assert lines == [
        "# The job train-recogniser failed",
        "GPU 0 has no memory left: 9GB more were needed",
        "- lower training.batch_size",
        "The end of ranks/workerlog.1:",
        "```text",
        "rank 1 says: ` ` ` CUDA error(2)",
        "```",
        "The end of stderr.txt:",
        "```text",
        "Traceback: cuda_allocator.cc",
        "error: GPU 0 has no memory left: 9GB more were needed; lower training.batch_size",
        "```",
    ], ended.stderr
