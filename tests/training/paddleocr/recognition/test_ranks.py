"""PaddleOCR's own trainer on two ranks for real: one is killed, all end, and a rerun goes on."""

import json
import os
import re
import signal
import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from configs.jobs import TrainPaddleOcrRecogniserJob, TrainResult
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from tests.paddleocr_tree import find_runtime
from tests.training.running import run, start
from training.loop.progress import read_events

EPOCHS = 3
STEPS = 6
"""Of an epoch: 48 lines, 8 a step, 4 of them on each rank."""

STEP_TOLERANCE, CURVE_TOLERANCE = 0.2, 0.05
QUICK = {
    "Architecture": {"Backbone": {"model_name": "small"}},
    "Global": {"log_smooth_window": 1},  # each step's own loss, no median
}

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def killed(digits: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> "Killed":
    """A training on two ranks, of which one was killed after an epoch."""
    folder = tmp_path_factory.mktemp("ranks")
    write_job(folder, digits, resources=ResourceParams(devices=2))
    return Killed(folder)


def write_job(
    folder: Path,
    digits: dict[str, str],
    *,
    resources: ResourceParams,
    **overrides: Any,
) -> Path:
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(
            net="configs/rec/rec_mv3_none_none_ctc.yml",
            epochs=EPOCHS,
            batch_size=8,
            learning_rate=3e-3,
            width_px=112,
            evaluations=1,
            overrides=overrides,
        ),
        resources=resources,
        runtime=find_runtime(),
    )
    path = folder / "job.json"
    path.write_text(job.model_dump_json(), encoding="utf-8")
    return path


class Killed:
    """What was seen of it.

    Attributes:
        reachable: Addresses of ranks that other machines reach.
        left: Processes that it started and that outlived it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        state = folder / "kept/state.json"
        with start(folder / "job.json", command="train-paddleocr-recogniser") as process:
            while not state.is_file() or not json.loads(state.read_text())["epoch"]:
                assert process.poll() is None, process.communicate()
                time.sleep(0.05)
            started = psutil.Process(process.pid).children(recursive=True)
            ranks = [one for one in started if len(one.parents()) == len(started[-1].parents())]
            for rank in ranks:  # asking for ports takes longer than what is left to learn
                rank.suspend()
            self.reachable = [port for rank in ranks for port in reachable_ports(rank)]
            os.kill(ranks[1].pid, signal.SIGKILL)
            ranks[0].resume()
            _, self.errors = process.communicate(timeout=60)
        self.exit_code = process.returncode
        _, self.left = psutil.wait_procs(started, timeout=30)

    def rerun(self) -> TrainResult:
        with start(self.folder / "job.json", command="train-paddleocr-recogniser") as process:
            _, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        return TrainResult.model_validate_json((self.folder / "result.json").read_bytes())


def reachable_ports(process: psutil.Process) -> list[int]:
    """Return the ports of a process that answer at an address that is not loopback."""
    listening = [one for one in process.net_connections("tcp4") if one.status == "LISTEN"]
    return [one.laddr.port for one in listening if answers(one.laddr.port)]


def answers(port: int) -> bool:
    with socket.socket(type=socket.SOCK_DGRAM) as outward:
        try:
            outward.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no address but loopback")
        here = outward.getsockname()[0]
    with socket.socket() as one:
        one.settimeout(5)
        return one.connect_ex((here, port)) == 0


def test_a_killed_rank_ends_the_training_and_leaves_no_process(killed: Killed) -> None:
    assert killed.exit_code == 1
    # The other rank may hear of it before it is ended.
    reason = "(killed by signal 9|Lost touch with another rank); run again to go on$"
    assert re.search(reason, killed.errors.strip())
    assert killed.left == []


def test_no_other_machine_reaches_the_ranks(killed: Killed) -> None:
    assert killed.reachable == []


def test_a_rerun_goes_on_after_the_last_whole_epoch_of_both(killed: Killed) -> None:
    result = killed.rerun()

    events = read_events(killed.folder / "metrics.jsonl")
    steps = [event["step"] for event in events if event["event"] == "step"]
    assert steps == sorted(set(steps))
    assert steps[-1] == EPOCHS * STEPS
    assert [one["step"] for one in events if one["event"] == "validation"] == [EPOCHS * STEPS]
    assert (killed.folder / "trainer.log").read_text().count("resume from") == 1
    assert result.environment["device"] == "2 x cpu"
    assert result.metrics["accuracy"] == pytest.approx(
        result.metrics["paddleocr_accuracy"], abs=1e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_any_number_of_ranks_learns_what_one_process_does(
    digits: dict[str, str], tmp_path: Path, ranks: int
) -> None:
    for devices in (1, ranks):
        folder = tmp_path / str(devices)
        folder.mkdir()
        job = write_job(folder, digits, resources=ResourceParams(devices=devices), **QUICK)
        code, errors = run(job, command="train-paddleocr-recogniser")
        assert code == 0, errors

    assert_learnt_alike(tmp_path / "1", tmp_path / str(ranks))


def assert_learnt_alike(*folders: Path) -> None:
    """Compare the losses of one process with those of several ranks."""
    events = [read_events(folder / "metrics.jsonl") for folder in folders]
    alone, shared = (
        np.array([event["loss"] for event in each if event["event"] == "step"]) for each in events
    )
    # Batch norms see the part of their rank.
    assert np.abs(shared / alone - 1).max() < STEP_TOLERANCE
    assert abs(shared.mean() / alone.mean() - 1) < CURVE_TOLERANCE
