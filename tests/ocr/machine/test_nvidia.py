"""What NVIDIA's driver says of itself."""

from pathlib import Path

import pytest

from ocr.machine.machine import Machine
from ocr.machine.nvidia import read_module


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 2023", "535.104.05"),
        ("NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build", "580.159.04"),
        ("NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build", "580.95.05"),
        ("", ""),
    ],
)
def test_the_module_of_the_kernel_closed_and_open(tmp_path: Path, said: str, version: str) -> None:
    file = tmp_path / "proc/driver/nvidia/version"
    file.parent.mkdir(parents=True)
    file.write_text(f"NVRM version: {said}\nGCC version:  gcc version 15.3.0 (GCC)\n")

    assert read_module(Machine(environment={}, root=tmp_path)) == version
