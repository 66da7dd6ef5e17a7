"""What a process and its children take, seen from outside."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ocr.machine.usage import UsageMeter

HOLD = """
import sys
block = bytearray(b"x") * 80 * 2**20
print("held", flush=True)
sys.stdin.read()
"""
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=0)
child.wait()
"""


@pytest.fixture
def tree() -> Iterator["subprocess.Popen[bytes]"]:
    """A process whose child holds 80 MiB."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.communicate()  # at the end of its input it ends


def test_memory_is_that_of_all_processes(tree: "subprocess.Popen[bytes]") -> None:
    meter = UsageMeter(lambda: tree.pid, on_gpus=False)
    meter.look()

    assert 80 < meter.usage.peak_memory_mib < 400
    assert meter.usage.peak_device_memory_mib == 0


def test_the_most_is_kept_when_all_have_ended(
    tree: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ocr.machine.usage.SAMPLE_S", 0)
    meter = UsageMeter(lambda: tree.pid, on_gpus=False)
    meter.look()
    before = meter.usage.peak_memory_mib

    tree.communicate()
    meter.look()

    assert meter.usage.peak_memory_mib == before


def test_memory_of_gpus_is_that_of_our_processes(
    tree: "subprocess.Popen[bytes]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(
        f"#!/bin/sh\necho '{tree.pid}, 700'\necho '1, 5000'\necho '{tree.pid}, [N/A]'"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    meter = UsageMeter(lambda: tree.pid, on_gpus=True)
    meter.look()

    assert meter.usage.peak_device_memory_mib == 700


def test_a_machine_without_nvidia_smi_takes_no_memory_of_gpus(
    tree: "subprocess.Popen[bytes]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    meter = UsageMeter(lambda: tree.pid, on_gpus=True, shared=tmp_path / "none")
    meter.look()

    usage = meter.usage
    assert (usage.peak_device_memory_mib, usage.peak_shared_memory_mib) == (0, 0)


def test_a_process_is_looked_for_until_it_is_there(
    tree: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ocr.machine.usage.SAMPLE_S", 0)
    ids = iter([0, tree.pid])
    meter = UsageMeter(lambda: next(ids), on_gpus=False)

    meter.look()
    before = meter.usage.peak_memory_mib
    meter.look()
    meter.look()

    assert before == 0
    assert meter.usage.peak_memory_mib > 80
