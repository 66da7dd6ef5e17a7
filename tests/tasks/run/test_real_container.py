"""The image that `make image` builds, by a docker daemon, where there is one."""

import os
from pathlib import Path

import pytest

from configs.jobs import TrainRecogniserJob, TrainResult
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.errors import ArtifactNotFound, BadInput
from ocr.machine.docker import check_docker
from ocr.machine.machine import Machine
from tasks.run.jobs import run_job

IMAGE = os.environ.get("OCRLINE_TEST_IMAGE", "ocrline-training:embedded")


@pytest.mark.slow
def test_a_job_finds_its_folder_and_its_store_in_a_real_container(tmp_path: Path) -> None:
    broken = [each for each in check_docker(Machine.here(), image=IMAGE) if each.advice]
    if broken:
        pytest.skip(str(broken[0]))
    (tmp_path / "store").mkdir()
    job = TrainRecogniserJob(
        store=f"file://{tmp_path / 'store'}",
        snapshot="datasets/none/0",
        training=RecogniserTrainingParams(),
        resources=ResourceParams(runtime="container", image=IMAGE, cpus=1, memory_gib=2),
    )

    with pytest.raises((BadInput, ArtifactNotFound), match="datasets/none/0"):
        run_job(job, folder=tmp_path / "job", result_type=TrainResult, on_event=lambda _: None)

    assert {path.owner() for path in (tmp_path / "job").iterdir()} == {tmp_path.owner()}
