import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ocr.dataset.process_pool import ProcessPool
from ocr.errors import ProcessDied


def twice(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return 2 * number


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_order(processes: int) -> None:
    with ProcessPool(processes) as pool:
        assert list(pool.map_in_order(twice, range(50))) == list(range(0, 100, 2))
        assert list(pool.map_in_order(twice, [])) == []


def test_no_more_batches_are_taken_than_are_needed() -> None:
    taken: list[int] = []

    def batches() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with ProcessPool(2) as pool:
        results = pool.map_in_order(twice, batches())
        assert len(taken) == 4
        assert next(results) == 0
        assert len(taken) == 5


@pytest.mark.parametrize("processes", [1, 2])
def test_what_fails_is_raised_here(processes: int) -> None:
    with ProcessPool(processes) as pool, pytest.raises(ValueError, match="-1 is negative"):
        list(pool.map_in_order(twice, [1, -1, 2]))


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_process_that_is_ended_from_outside_is_told() -> None:
    with ProcessPool(2) as pool, pytest.raises(ProcessDied, match="memory"):
        list(pool.map_in_order(die, [1, 2]))


KILLED = """
import os, signal
from ocr.dataset.process_pool import ProcessPool
from ocr.errors import ProcessDied
with ProcessPool(2) as pool:
    next(pool.map_in_order(abs, [1]))
    print("up", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
KILLED_WHILE_OTHERS_START = """
import os, signal, time
from ocr.dataset import process_pool
parent, prctl = os.getpid(), process_pool._prctl
def prctl_too_late(*arguments):
    while os.getppid() == parent:
        time.sleep(0.01)
    prctl(*arguments)
process_pool._prctl = prctl_too_late
with process_pool.ProcessPool(2) as pool:
    pool.map_in_order(abs, [1])
    print("up", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("code", [KILLED, KILLED_WHILE_OTHERS_START])
def test_processes_end_with_a_killed_one(code: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        said, _ = process.communicate(timeout=60)  # ends when nobody holds the pipe any more

    assert said == "up\n"
