"""Two machines that share a training: two processes here, which meet at an address."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from configs.jobs import TrainRecogniserJob
from configs.training import ResourceParams
from ocr.errors import BadInput
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import assert_same_weights, curve, reached, start
from tests.training.test_launch import OPTIONS, find_ranks, wait_for
from training.job import read_job
from training.meeting import HERE, find_port
from training.nodes import find_node, name_address, wait_for_the_first

NODES = 2

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def job(digits: dict[str, str], tmp_path: Path) -> Path:
    options = OPTIONS | {"checkpoint_every_s": 0.01}
    path = write_recogniser_job(tmp_path / "several", digits, **options)
    job = json.loads(path.read_text())
    job["resources"] = {"nodes": NODES, "rendezvous": f"{HERE}:{find_port()}"}
    path.write_text(json.dumps(job))
    return path


@contextmanager
def started(job: Path) -> Iterator[list[Popen[str]]]:
    """Start the job on each machine."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(start(job, env=os.environ | {"OCRLINE_NODE_RANK": str(node)}))
            for node in range(NODES)
        ]


def end(processes: list[Popen[str]]) -> list[tuple[int, str]]:
    said = [process.communicate(timeout=400)[1] for process in processes]
    return [(each.returncode, errors) for each, errors in zip(processes, said, strict=True)]


def test_the_death_of_a_rank_ends_both_machines_and_a_rerun_learns_what_one_learns(
    job: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    with started(job) as machines:
        wait_for(lambda: reached(job.parent / "metrics.jsonl", 3), timeout_s=400)
        of_second = {
            process for process in find_ranks(job) if parent_of(process) == machines[1].pid
        }
        os.kill(of_second.pop(), signal.SIGKILL)
        killed = end(machines)
    with started(job) as machines:
        gone_on = end(machines)
    alone = write_recogniser_job(tmp_path / "alone", digits, devices=2, **OPTIONS)
    with start(alone) as process:
        end([process])

    assert [code for code, _ in killed] == [1, 1]
    assert all("run again to go on" in errors for _, errors in killed)
    assert gone_on == [(0, gone_on[0][1]), (0, gone_on[1][1])]
    assert curve(job.parent) == curve(alone.parent)
    assert_same_weights(job.parent, alone.parent)


@pytest.mark.parametrize(
    ("node", "resources", "said"),
    [
        ("2", {"nodes": 2, "rendezvous": "127.0.0.1:6170"}, "2; expected 0 to 1"),
        ("1", {}, "OCRLINE_NODE_RANK: 1 is not allowed with resources.nodes: 1; expected 0 to 0"),
        ("0", {"nodes": 2, "rendezvous": "192.0.2.77:6170"}, "192.0.2.77 is no address of this"),
    ],
)
def test_a_machine_that_has_no_place_is_told_so(
    node: str, resources: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_NODE_RANK", node)

    with pytest.raises(BadInput, match=said):
        find_node(ResourceParams.model_validate(resources))


def test_a_machine_that_learns_something_else_is_sent_away(
    job: Path, digits: dict[str, str], tmp_path: Path
) -> None:
    other = write_recogniser_job(tmp_path / "other", digits, **OPTIONS | {"seed": 1})
    asked = json.loads(other.read_text())
    asked["resources"] = json.loads(job.read_text())["resources"]
    other.write_text(json.dumps(asked))
    second = os.environ | {"OCRLINE_NODE_RANK": "1"}

    with start(job) as first:
        with start(other, env=second) as strange:
            [(strange_code, said)] = end([strange])
        with start(job, env=second) as right:
            both = end([first, right])

    assert strange_code == 1
    assert "Ranks of another training meet here" in said
    assert [code for code, _ in both] == [0, 0], both


def test_a_taken_port_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_NODE_RANK", "0")
    with socket.create_server((HERE, 0)) as taken:
        place = f"{HERE}:{taken.getsockname()[1]}"

        with pytest.raises(BadInput, match=f"rendezvous: {place} cannot be opened .*in use"):
            find_node(ResourceParams(nodes=2, rendezvous=place))


def test_a_machine_that_comes_when_all_is_learnt_joins_nobody(job: Path) -> None:
    asked = read_job(job, TrainRecogniserJob)
    (job.parent / "result.json").touch()

    with socket.create_server(name_address(asked.resources)):
        assert not wait_for_the_first(asked, job.parent)


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
