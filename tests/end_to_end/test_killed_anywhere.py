"""The line killed again and again, at whatever it does: in the end it is as if nothing happened."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.background import pick_port
from tests.end_to_end.conftest import Finished, Line

LIFETIMES_S = (4, 6, 8, 10, 12, 14, 16, 18, 20, 22)
# What a run leaves behind in this order; a run that dies as one appears must not lose the others.
TRACES = (
    "store/datasets/smoke/*/manifest.json",
    "jobs/train-*/state/0*",
    "jobs/train-*/result.json",
    "store/checkpoints/*/manifest.json",
    "jobs/export-*/job.json",
    "store/models/smoke/*/manifest.json",
    "store/evaluations/*/report.json",
    "store/models/smoke/aliases/champion.json",  # promoted, not yet proven
    "store/deployments/smoke/*.json",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """A line that nobody killed."""
    with _new_line(tmp_path_factory.mktemp("whole")) as line:
        finished = line.retrain()
        assert finished.code == 0, finished.err
        yield line


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_line_killed_at_any_second_ends_as_an_uninterrupted_one(
    whole: Line, tmp_path: Path
) -> None:
    with _new_line(tmp_path) as line:
        ended = [_run_and_kill(line, seconds) for seconds in LIFETIMES_S]
        last = line.retrain()
        served = line.served()

    by_themselves = [finished for finished in ended if finished]
    assert len(by_themselves) < len(ended)
    assert all(finished.code == 0 for finished in by_themselves), by_themselves
    _check_as_if_nothing_happened(line, last, whole=whole, served=served)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_line_killed_after_each_trace_ends_as_an_uninterrupted_one(
    whole: Line, tmp_path: Path
) -> None:
    with _new_line(tmp_path) as line:
        for trace in TRACES:
            _run_and_kill_at(line, trace)
        last = line.retrain()
        served = line.served()

    _check_as_if_nothing_happened(line, last, whole=whole, served=served)


def _check_as_if_nothing_happened(line: Line, last: Finished, *, whole: Line, served: str) -> None:
    assert last.code == 0, last.err
    assert _losses(line) == _losses(whole)
    assert served == line.champion() == whole.champion()
    assert not list((line.home / "jobs").iterdir())


@contextmanager
def _new_line(home: Path) -> Iterator[Line]:
    line = Line(home=home, endpoint=f"http://127.0.0.1:{pick_port(0)}")
    try:
        yield line
    finally:
        line.run("stop")


def _run_and_kill(line: Line, seconds: float) -> Finished | None:
    """Kill a run after some seconds; return how it ended if it had by then."""
    process = line.start("retrain", "smoke", *line.sets())
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _kill(process)
        return None
    return Finished(process.returncode, out, err)


def _run_and_kill_at(line: Line, trace: str) -> None:
    """Kill a run as soon as a file of it is there."""
    process = line.start("retrain", "smoke", *line.sets())
    deadline = time.monotonic() + 120
    while process.poll() is None and not list(line.home.glob(trace)):
        if time.monotonic() > deadline:
            _kill(process)
            pytest.fail(f"nothing at {trace}")
        time.sleep(0.01)
    _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)  # its job, an orphan now, must end by itself
    process.communicate()


def _losses(line: Line) -> list[tuple[int, float]]:
    (metrics,) = (line.home / "store" / "checkpoints").glob("*/metrics.jsonl")
    events = [json.loads(row) for row in metrics.read_text().splitlines()]
    return [(event["step"], event["loss"]) for event in events if event["event"] == "step"]
