"""The line killed again and again, at whatever it does: in the end it is as if nothing happened."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from deploy.background import pick_port
from tests.end_to_end.conftest import Line

LIFETIMES_S = (4, 6, 8, 10, 12, 14, 16, 18, 20, 22)


@pytest.mark.slow
def test_line_killed_ten_times_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{pick_port(0)}"
    lines = [Line(home=tmp_path / name, endpoint=endpoint) for name in ("killed", "whole")]
    try:
        kills = sum(_run_and_kill(lines[0], seconds) for seconds in LIFETIMES_S)
        ended = [line.retrain("deployment.target=none") for line in lines]
    finally:
        for line in lines:
            line.run("stop")

    assert kills > 0
    assert [finished.code for finished in ended] == [0, 0], ended[0].err
    assert _losses(lines[0]) == _losses(lines[1])
    assert lines[0].champion() == lines[1].champion()
    assert not list((lines[0].home / "jobs").iterdir())


def _run_and_kill(line: Line, seconds: float) -> bool:
    """Kill a run after some seconds; return whether it was still at work."""
    process = line.start("retrain", "smoke", *line.sets("deployment.target=none"))
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        time.sleep(0.5)
        return True
    return False


def _losses(line: Line) -> list[tuple[int, float]]:
    (metrics,) = (line.home / "store" / "checkpoints").glob("*/metrics.jsonl")
    events = [json.loads(row) for row in metrics.read_text().splitlines()]
    return [(event["step"], event["loss"]) for event in events if event["event"] == "step"]
