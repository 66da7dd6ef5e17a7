"""PaddleOCR's own trainer on two machines: two processes here, which meet at an address."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from configs.jobs import TrainKind, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from tests.paddleocr_tree import find_runtime
from tests.training.paddleocr.recognition.test_ranks import QUICK, assert_learnt_alike, write_job
from tests.training.running import run, start
from training.loop.progress import read_events
from training.meeting import HERE, find_port

NODES = 2
KIND: TrainKind = "train-paddleocr-recogniser"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_two_machines_learn_what_one_process_does(digits: dict[str, str], tmp_path: Path) -> None:
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    for folder, resources in ((alone, ResourceParams()), (shared, two_machines())):
        folder.mkdir()
        write_job(folder, digits, resources=resources, **QUICK)

    code, errors = run(alone / "job.json", command=KIND)
    learn_together(shared / "job.json")

    assert code == 0, errors
    assert_learnt_alike(alone, shared)
    assert (shared / "result.json").is_file()


def test_two_machines_learn_together_what_is_compiled(
    digits: dict[str, str], tmp_path: Path
) -> None:
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(
            net="pp-ocrv3-mobile", to_static=True, epochs=1, batch_size=8, evaluations=1
        ),
        resources=two_machines(),
        runtime=find_runtime(),
    )
    path = tmp_path / "job.json"
    path.write_text(job.model_dump_json(), encoding="utf-8")

    learn_together(path)

    events = read_events(tmp_path / "metrics.jsonl")
    assert [event["step"] for event in events if event["event"] == "step"][-1] == 48 / 8
    assert (tmp_path / "result.json").is_file()


def two_machines() -> ResourceParams:
    return ResourceParams(nodes=NODES, rendezvous=f"{HERE}:{find_port()}")


def learn_together(job: Path) -> None:
    with ExitStack() as stack:
        machines = [
            stack.enter_context(
                start(job, command=KIND, env=os.environ | {"OCRLINE_NODE_RANK": str(node)})
            )
            for node in range(NODES)
        ]
        said = [machine.communicate(timeout=400)[1] for machine in machines]
    assert [machine.returncode for machine in machines] == [0, 0], said
