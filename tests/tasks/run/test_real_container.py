"""The image that `make image` builds, by a docker daemon, where there is one."""

import os
from pathlib import Path
from uuid import uuid4

import pytest

from configs.jobs import TrainRecogniserJob, TrainResult
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.errors import ArtifactNotFound, BadInput
from ocr.machine.docker import check_docker
from ocr.machine.machine import Machine
from ocr.store import S3Credentials
from tasks.run.jobs import run_job
from tests.minio_server import minio_server

__all__ = ["minio_server"]

IMAGE = os.environ.get("OCRLINE_TEST_IMAGE", "ocrline-training:embedded")


def skip_without_image() -> None:
    broken = [each for each in check_docker(Machine.here(), image=IMAGE) if each.advice]
    if broken:
        pytest.skip(str(broken[0]))


def ask(*question: str) -> str:
    answer = Machine.here().ask("docker", *question)
    return answer.output if answer else ""


def train_job(store: str) -> TrainRecogniserJob:
    return TrainRecogniserJob(
        store=store,
        snapshot="datasets/none/0",
        training=RecogniserTrainingParams(),
        resources=ResourceParams(runtime="container", image=IMAGE, cpus=1, memory_gib=2),
    )


def run(job: TrainRecogniserJob, folder: Path) -> None:
    run_job(job, folder=folder, result_type=TrainResult, on_event=lambda _: None)


@pytest.mark.slow
def test_a_job_finds_its_folder_and_its_store_in_a_real_container(tmp_path: Path) -> None:
    skip_without_image()
    (tmp_path / "store").mkdir()

    with pytest.raises((BadInput, ArtifactNotFound), match="datasets/none/0"):
        run(train_job(f"file://{tmp_path / 'store'}"), tmp_path / "job")

    assert {path.owner() for path in (tmp_path / "job").iterdir()} == {tmp_path.owner()}


@pytest.mark.slow
def test_a_job_reads_a_bucket_with_keys_that_docker_does_not_show(
    tmp_path: Path, minio_server: S3Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without_image()
    keys = {"ACCESS_KEY": minio_server.access_key, "SECRET_KEY": minio_server.secret_key}
    for name, value in {"ENDPOINT": minio_server.endpoint, **keys}.items():
        monkeypatch.setenv(f"MINIO_{name}", value)
    shown: list[str] = []

    def look() -> bool:
        names = ask("ps", "--quiet", "--filter", f"volume={tmp_path / 'job'}").split()
        shown.extend(ask("inspect", name) for name in names)
        return False

    monkeypatch.setattr("tasks.run.jobs.is_ended", look)

    with pytest.raises((BadInput, ArtifactNotFound), match="datasets/none/0"):
        run(train_job(f"s3://containers-{uuid4().hex}/line"), tmp_path / "job")

    assert any('"NetworkMode": "host"' in each for each in shown)
    assert not [key for key in keys.values() if key in "".join(shown)]
