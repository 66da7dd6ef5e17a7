"""A retraining killed again and again, at whatever it does, ends as one that nobody killed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Finished, Machine, new_machine


@dataclass(frozen=True)
class Project:
    """A preset, when to kill its runs, and what they leave behind in this order.

    A run that dies as one trace appears must not lose the others.
    """

    preset: str
    lifetimes_s: tuple[float, ...]
    traces: tuple[str, ...]


LINES = Project(
    preset="smoke",
    lifetimes_s=(4, 6, 8, 10, 12, 14, 16, 18, 20, 22),
    traces=(
        "store/datasets/smoke/*/manifest.json",
        "jobs/train-*/state/0*",
        "jobs/train-*/result.json",
        "store/checkpoints/*/published.json",
        "jobs/export-*/job.json",
        "store/models/smoke/*/published.json",
        "store/evaluations/*/report.json",
        "store/models/smoke/aliases/champion.json",  # promoted, not yet proven
    ),
)
PAGES = Project(
    preset="smoke-pages",
    lifetimes_s=(5, 10, 15, 20, 25, 30, 35, 40, 45, 50),
    traces=(
        "store/datasets/smoke-pages/*/manifest.json",
        "store/datasets/smoke-pages-lines/*/manifest.json",
        "jobs/train-*/state/0*",
        "jobs/train-*/result.json",
        "store/checkpoints/*/published.json",  # of one; the other may still be trained
        "jobs/export-*/job.json",
        "store/models/smoke-pages-*/*/published.json",
        "jobs/assemble-*",
        "store/models/smoke-pages/*/published.json",
        "store/evaluations/*/report.json",
        "store/models/smoke-pages/aliases/champion.json",
    ),
)


@pytest.fixture(scope="module", params=[LINES, PAGES], ids=lambda project: project.preset)
def project(request: pytest.FixtureRequest) -> Project:
    assert isinstance(request.param, Project)
    return request.param


@pytest.fixture(scope="module")
def whole(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine on which nobody killed a run."""
    with new_machine(tmp_path_factory.mktemp("whole"), preset=project.preset) as machine:
        finished = machine.retrain()
        assert finished.code == 0, finished.err
        yield machine


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_run_killed_at_any_second_ends_as_an_uninterrupted_one(
    project: Project, whole: Machine, tmp_path: Path
) -> None:
    with new_machine(tmp_path, preset=project.preset) as machine:
        ended = [_run_and_kill(machine, seconds) for seconds in project.lifetimes_s]
        last = machine.retrain()
        served = machine.served()

    by_themselves = [finished for finished in ended if finished]
    assert len(by_themselves) < len(ended)
    assert all(finished.code == 0 for finished in by_themselves), by_themselves
    _check_as_if_nothing_happened(machine, last, whole=whole, served=served)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_run_killed_after_each_trace_ends_as_an_uninterrupted_one(
    project: Project, whole: Machine, tmp_path: Path
) -> None:
    with new_machine(tmp_path, preset=project.preset) as machine:
        for trace in project.traces:
            _run_and_kill_at(machine, trace)
        last = machine.retrain()
        served = machine.served()

    _check_as_if_nothing_happened(machine, last, whole=whole, served=served)


def _check_as_if_nothing_happened(
    machine: Machine, last: Finished, *, whole: Machine, served: str
) -> None:
    assert last.code == 0, last.err
    assert _losses(machine) == _losses(whole)
    assert served == machine.champion() == whole.champion()
    assert not list((machine.home / "jobs").iterdir())


def _run_and_kill(machine: Machine, seconds: float) -> Finished | None:
    """Kill a run after some seconds; return how it ended if it had by then."""
    process = machine.start("retrain", machine.preset, *machine.sets())
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _kill(process)
        return None
    return Finished(process.returncode, out, err)


def _run_and_kill_at(machine: Machine, trace: str) -> None:
    """Kill a run as soon as a file of it is there."""
    process = machine.start("retrain", machine.preset, *machine.sets())
    deadline = time.monotonic() + 120
    while process.poll() is None and not list(machine.home.glob(trace)):
        if time.monotonic() > deadline:
            _kill(process)
            pytest.fail(f"nothing at {trace}")
        time.sleep(0.01)
    _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)  # its job, an orphan now, must end by itself
    process.communicate()


def _losses(machine: Machine) -> list[list[tuple[int, float]]]:
    """Return the losses of every training."""
    found = (machine.home / "store" / "checkpoints").glob("*/*/metrics.jsonl")
    trainings = [[json.loads(row) for row in metrics.read_text().splitlines()] for metrics in found]
    return sorted(
        [(event["step"], event["loss"]) for event in events if event["event"] == "step"]
        for events in trainings
    )
