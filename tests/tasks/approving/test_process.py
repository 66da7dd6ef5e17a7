"""Whether the process that waits for a person is still there."""

import os
import subprocess
import sys

import psutil
import pytest

from tasks.approving.process import has_ended, lives_here, name_process


def test_a_process_lives_also_when_the_clock_of_its_machine_was_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = name_process()
    started = psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: started + 3600)

    assert not has_ended(named)


def test_a_later_process_of_the_same_id_is_another_one() -> None:
    machine, pid, began = name_process().split(" ")

    assert has_ended(f"{machine} {pid} {float(began) - 60:.2f}")


def test_a_process_that_is_gone_has_ended_and_one_of_another_machine_is_not_known_to() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    machine, _, began = name_process().split(" ")

    assert has_ended(f"{machine} {gone.pid} {began}")
    assert not has_ended(f"another-machine {os.getpid()} {began}")
    assert lives_here(name_process())
    assert not lives_here(f"{machine} {gone.pid} {began}")
    assert not lives_here(f"another-machine {os.getpid()} {began}")
