"""PaddleOCR's own trainer on two machines: two processes here, which meet at an address."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from configs.jobs import TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from tests.paddleocr_tree import find_runtime
from tests.training.paddleocr.recognition.test_ranks import QUICK
from tests.training.running import start
from training.loop.progress import read_events
from training.meeting import HERE, find_port

NODES = 2
CRNN = {"net": "configs/rec/rec_mv3_none_none_ctc.yml", "width_px": 112, "overrides": QUICK}

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize(
    "training",
    [
        pytest.param(CRNN, id="crnn"),
        pytest.param(
            {"net": "pp-ocrv3-mobile", "to_static": True}, marks=pytest.mark.slow, id="compiled"
        ),
    ],
)
def test_two_machines_learn_together(
    digits: dict[str, str], training: dict[str, Any], tmp_path: Path
) -> None:
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(**training, epochs=1, batch_size=8, evaluations=1),
        resources=ResourceParams(nodes=NODES, rendezvous=f"{HERE}:{find_port()}"),
        runtime=find_runtime(),
    )
    path = tmp_path / "job.json"
    path.write_text(job.model_dump_json(), encoding="utf-8")

    with ExitStack() as stack:
        machines = [
            stack.enter_context(
                start(path, command=job.kind, env=os.environ | {"OCRLINE_NODE_RANK": str(node)})
            )
            for node in range(NODES)
        ]
        said = [machine.communicate(timeout=400)[1] for machine in machines]

    assert [machine.returncode for machine in machines] == [0, 0], said
    steps = [
        event["step"]
        for event in read_events(tmp_path / "metrics.jsonl")
        if event["event"] == "step"
    ]
    assert steps[-1] == 48 / 8
    assert (tmp_path / "result.json").is_file()
