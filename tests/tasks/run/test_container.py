"""Jobs in containers, by a docker that runs them here: what they may do, and how they end."""

from pathlib import Path
from typing import Any

import pytest

from configs.jobs import (
    ContainerTask,
    ExportDetectorJob,
    PaddleOcrRuntime,
    TrainPaddleOcrRecogniserJob,
)
from configs.paddleocr import PaddleOcrRecogniserParams
from ocr.errors import ArtifactNotFound, BadData, BadInput
from tests.tasks.run.stub_docker import (
    RESULT,
    WRITE_RESULT,
    StubDocker,
    resources,
    run,
    train_job,
    values,
)

SHA256 = "0" * 64


@pytest.fixture
def docker(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> StubDocker:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return StubDocker(tmp_path_factory.mktemp("docker"), monkeypatch)


def export_job(store: str, **given: Any) -> ExportDetectorJob:
    return ExportDetectorJob(
        store=store,
        snapshot="datasets/none/0",
        checkpoint="checkpoints/none",
        name="none",
        version="0",
        parameters={},
        metrics={},
        resources=resources(**given),
    )


def paddleocr_job(tree: Path, field: str, weights: str) -> TrainPaddleOcrRecogniserJob:
    training = {field: weights, f"{field}_sha256": SHA256 * bool(weights)}
    return TrainPaddleOcrRecogniserJob(
        store=f"file://{tree.parent / 'store'}",
        snapshot="datasets/none/0",
        training=PaddleOcrRecogniserParams.model_validate({"engine": "paddleocr"} | training),
        resources=resources(),
        runtime=PaddleOcrRuntime(home=str(tree), python="/python", tree="t", packages="p"),
    )


def test_a_job_runs_with_its_folder_and_no_rights(tmp_path: Path, docker: StubDocker) -> None:
    docker.run_as(WRITE_RESULT)

    result = run(train_job(f"file://{tmp_path / 'store'}"), tmp_path / "job")

    options = docker.options()
    assert result == RESULT
    assert {"--read-only", "--init", "--interactive"} <= set(options)
    assert list(values(options, "--cap-drop")) == ["ALL"]
    assert list(values(options, "--security-opt")) == ["no-new-privileges"]
    assert list(values(options, "--network")) == ["none"]
    assert list(values(options, "--pull")) == ["never"]
    assert list(values(options, "--mount")) == [
        f'type=bind,"src={tmp_path / "job"}","dst={tmp_path / "job"}"',
        f'type=bind,"src={tmp_path / "store"}","dst={tmp_path / "store"}",readonly',
    ]


def test_resources_are_limits_of_the_container(tmp_path: Path, docker: StubDocker) -> None:
    docker.run_as(WRITE_RESULT)
    limits = {"cpus": 1.5, "memory_gib": 0.5, "shared_memory_gib": 2, "open_files": 4096}

    run(train_job(str(tmp_path), device="gpu", devices=2, **limits), tmp_path / "job")

    given = docker.options()
    names = ("--cpus", "--memory", "--memory-swap", "--shm-size", "--ulimit", "--gpus")
    assert {name: list(values(given, name)) for name in names} == {
        "--cpus": ["1.5"],
        "--memory": ["536870912"],
        "--memory-swap": ["536870912"],
        "--shm-size": ["2147483648"],
        "--ulimit": ["nofile=4096:4096", "memlock=-1"],
        "--gpus": ["2"],
    }


def test_what_is_not_limited_is_left_to_docker(tmp_path: Path, docker: StubDocker) -> None:
    docker.run_as(WRITE_RESULT)

    run(train_job(str(tmp_path)), tmp_path / "job")

    limits = {"--cpus", "--memory", "--memory-swap", "--shm-size", "--ulimit", "--gpus"}
    assert not limits & set(docker.options())


def test_machines_that_train_together_reach_each_other_and_export_alone(
    tmp_path: Path, docker: StubDocker
) -> None:
    docker.run_as(WRITE_RESULT)
    several = {"nodes": 2, "rendezvous": "192.0.2.1:6170"}

    run(train_job(str(tmp_path), **several), tmp_path / "job")
    trained = docker.options()
    run(export_job(str(tmp_path), **several), tmp_path / "export")

    networks = [list(values(options, "--network")) for options in (trained, docker.options())]
    assert networks == [["host"], ["none"]]


def test_the_gpus_that_are_visible_here_are_given_as_many_as_asked_for(
    tmp_path: Path, docker: StubDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker.run_as(WRITE_RESULT)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,GPU-5e1a,1")

    run(train_job(str(tmp_path), device="gpu", devices=2), tmp_path / "job")

    assert list(values(docker.options(), "--gpus")) == ['"device=3,GPU-5e1a"']


def test_an_export_is_given_no_gpu(tmp_path: Path, docker: StubDocker) -> None:
    docker.run_as("exit 3")

    with pytest.raises(BadData):
        run(export_job(str(tmp_path), device="gpu"), tmp_path / "job")

    assert "--gpus" not in docker.options()


@pytest.mark.parametrize(
    ("endpoint", "network"),
    [("127.0.0.1:9000", "host"), ("localhost:9000", "host"), ("minio.example.org", "bridge")],
)
def test_keys_of_a_store_are_said_on_standard_input_alone(
    tmp_path: Path,
    docker: StubDocker,
    monkeypatch: pytest.MonkeyPatch,
    endpoint: str,
    network: str,
) -> None:
    docker.run_as(f"head -n 1 > {tmp_path}/said; env > {tmp_path}/env; {WRITE_RESULT}")
    monkeypatch.setenv("MINIO_ENDPOINT", endpoint)
    monkeypatch.setenv("MINIO_SECRET_KEY", "very secret")

    run(train_job("s3://bucket/line"), tmp_path / "job")

    said = ContainerTask.model_validate_json((tmp_path / "said").read_bytes())
    assert said.environment["MINIO_SECRET_KEY"] == "very secret"
    assert "very secret" not in f"{docker.calls()} {(tmp_path / 'env').read_text()} {said!r}"
    assert list(values(docker.options(), "--network")) == [network]
    assert len(list(values(docker.options(), "--mount"))) == 1


def test_keys_of_no_use_are_not_said(
    tmp_path: Path, docker: StubDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker.run_as(f"head -n 1 > {tmp_path}/said; {WRITE_RESULT}")
    monkeypatch.setenv("MINIO_SECRET_KEY", "very secret")

    run(train_job(str(tmp_path)), tmp_path / "job")

    assert "very secret" not in (tmp_path / "said").read_text()


@pytest.mark.parametrize(
    ("field", "weights", "network", "mounted"),
    [
        ("pretrained", "", "none", []),
        ("pretrained", "/models/a,b.pdparams", "none", ["/models/a,b.pdparams"]),
        ("pretrained", "file:///models/a%20b.pdparams", "none", ["/models/a b.pdparams"]),
        ("pretrained", "https://models.example.org/a.pdparams", "bridge", []),
        ("pretrained", "model:plates:0123456789ab", "none", []),
        ("teacher", "/models/a.pdparams", "none", ["/models/a.pdparams"]),
        ("teacher", "https://models.example.org/a.pdparams", "bridge", []),
    ],
)
def test_what_paddleocrs_trainer_reads_is_there(
    tmp_path: Path,
    docker: StubDocker,
    field: str,
    weights: str,
    network: str,
    mounted: list[str],
) -> None:
    docker.run_as(WRITE_RESULT)

    run(paddleocr_job(tmp_path / "tree", field, weights), tmp_path / "job")

    expected = [f'type=bind,"src={p}","dst={p}",readonly' for p in (tmp_path / "tree", *mounted)]
    assert list(values(docker.options(), "--mount"))[2:] == expected
    assert list(values(docker.options(), "--network")) == [network]


def test_the_job_of_this_code_does_its_work(tmp_path: Path, docker: StubDocker) -> None:
    with pytest.raises((BadInput, ArtifactNotFound), match="datasets/none/0"):
        run(train_job(str(tmp_path / "store")), tmp_path / "job")


def test_an_image_of_other_code_is_refused(
    tmp_path: Path, docker: StubDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tasks.run.container.describe_code", lambda _: {"code": "1" * 64, "numpy": "0.9"}
    )

    with pytest.raises(BadInput, match=r"image: it has code .* instead of 1+, numpy .*make image"):
        run(train_job(str(tmp_path / "store")), tmp_path / "job")
