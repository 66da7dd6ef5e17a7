"""The look at the machine before a training: what cannot work is refused, what may not is noted."""

import os
import resource
import sys
from pathlib import Path

import pytest

from configs.jobs import TrainRecogniserJob
from configs.training import RecogniserTrainingParams, ResourceParams
from ocr.errors import BadInput
from tests.built_machine import Parts, build_machine
from tests.training.running import run, write_job
from training.loop.progress import read_events
from training.preflight import look_before_training

TWO_GPUS = ResourceParams(device="gpu", devices=2)


def job_on(resources: ResourceParams) -> TrainRecogniserJob:
    return TrainRecogniserJob(
        store="file:///none",
        snapshot="datasets/none/0",
        training=RecogniserTrainingParams(),
        resources=resources,
    )


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (Parts(driver="", module="", devices=()), ["gpu driver", "nvidia-smi", "device: cpu"]),
        (Parts(environment={"CUDA_VISIBLE_DEVICES": "1"}), ["resources.devices: 2", "1 are vis"]),
        (Parts(paddle_cuda="False"), ["without CUDA", "paddlepaddle-gpu==3.3.1"]),
        (Parts(driver="470.57.02", cuda="11.4"), ["470.57.02", "525"]),
        (Parts(disk=0), ["disk: only 0.0 GB free", "OCRLINE_HOME"]),
    ],
)
def test_a_machine_that_cannot_do_it_is_refused_with_the_value_and_the_fix(
    parts: Parts, words: list[str], tmp_path: Path
) -> None:
    machine = build_machine(tmp_path / "machine", parts)

    with pytest.raises(BadInput) as refused:
        look_before_training(job_on(TWO_GPUS), tmp_path, machine)

    assert [word for word in words if word not in str(refused.value)] == []


def test_what_is_only_risky_is_noted_once_for_those_who_watch(tmp_path: Path) -> None:
    machine = build_machine(tmp_path / "machine", Parts(shared=2**28, disk=2 * 10**9))

    for _start in range(2):
        look_before_training(job_on(TWO_GPUS), tmp_path, machine)

    notices = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert [notice.partition(";")[0] for notice in notices] == [
        "warning: shared memory: 256 MiB free in /dev/shm",
        f"warning: disk: only 2.0 GB free under {tmp_path}",
    ]


def test_processes_that_load_batches_need_shared_memory_whatever_the_gpus_do(
    tmp_path: Path,
) -> None:
    machine = build_machine(tmp_path / "machine", Parts(shared=3 * 2**29))

    look_before_training(job_on(TWO_GPUS), tmp_path, machine, gpu_loaders=4)

    [notice] = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert "1.5 GiB free in /dev/shm; 8 processes that hand over batches may need 2.0" in notice


def test_a_machine_on_which_all_is_well_is_left_alone(tmp_path: Path) -> None:
    machine = build_machine(tmp_path / "machine", Parts())

    look_before_training(job_on(TWO_GPUS), tmp_path, machine)

    assert not (tmp_path / "metrics.jsonl").exists()


def test_a_job_looks_at_its_own_process(tmp_path: Path) -> None:
    snapshot = {"store": str(tmp_path / "store"), "snapshot": "datasets/none/0"}
    job = write_job(tmp_path, snapshot, kind="train-recogniser", devices=1, training={})

    run(job, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)))

    notices = [event["message"] for event in read_events(tmp_path / "metrics.jsonl")]
    assert any("open files: 200 may be open at once; ulimit -n" in notice for notice in notices)


def test_a_job_on_gpus_says_what_this_machine_lacks_for_them(tmp_path: Path) -> None:
    snapshot = {"store": str(tmp_path / "store"), "snapshot": "datasets/none/0"}
    job = write_job(tmp_path, snapshot, kind="train-recogniser", devices=1, training={})
    job.write_text(job.read_text().replace('"cpu"', '"gpu"'))

    code, errors = run(job, env=os.environ | {"PATH": str(Path(sys.executable).parent)})

    assert code == BadInput.exit_code
    assert errors.splitlines()[-1].startswith("error: gpu ")
    assert "resources.device: cpu" in errors


def test_what_a_job_asks_for_by_name_is_refused_and_by_number_noted(tmp_path: Path) -> None:
    machine = build_machine(tmp_path / "machine", Parts())
    larger = ResourceParams(device="gpu", shared_memory_gib=64)
    other = ResourceParams(device="gpu", gpu="A100")

    look_before_training(job_on(larger), tmp_path, machine)
    with pytest.raises(BadInput, match=r"H100.*resources\.gpu: 'A100'"):
        look_before_training(job_on(other), tmp_path, machine)

    (noted,) = read_events(tmp_path / "metrics.jsonl")
    assert "resources.shared_memory_gib: 64" in noted["message"]
