"""What NVIDIA's driver says of itself, and which GPUs a process sees."""

import re
from dataclasses import dataclass

from ocr.machine.machine import Machine

VARIABLE = "CUDA_VISIBLE_DEVICES"
DRIVER_FLOORS = {11: 450, 12: 525, 13: 580}
"""Oldest driver of each CUDA (NVIDIA, CUDA Compatibility, minor version compatibility)."""

_DRIVER = re.compile(r"Driver Version:\s*([\d.]+)")
_CUDA = re.compile(r"CUDA (?:UMD )?Version:\s*(\d+)\.(\d+)")
_MODULE = re.compile(r"Kernel Module(?: for \S+)?\s+([\d.]+)")
_GPU = re.compile(r"^\s*(?:GPU (?P<index>\d+)|MIG ).*\(UUID: (?P<uuid>[\w/-]+)\)")


@dataclass(frozen=True)
class Driver:
    """What nvidia-smi prints at its head.

    Attributes:
        version: Such as 535.104.05; empty where it is not known.
        cuda: The newest CUDA that it can run, such as (12, 2); libraries for compatibility beside
            an older driver count. (0, 0) where it is not known.
    """

    version: str
    cuda: tuple[int, int]


@dataclass(frozen=True)
class Gpu:
    """A GPU or a part of one; only a whole one has an index, only nvidia-smi knows the UUID."""

    index: str
    uuid: str


def read_driver(machine: Machine) -> Driver:
    """Ask nvidia-smi for versions, and the kernel where there is no nvidia-smi."""
    answer = machine.ask("nvidia-smi")
    head = answer.output if answer else ""
    version, cuda = _DRIVER.search(head), _CUDA.search(head)
    return Driver(
        version=version[1] if version else read_module(machine),
        cuda=(int(cuda[1]), int(cuda[2])) if cuda else (0, 0),
    )


def read_module(machine: Machine) -> str:
    """Return the version of the kernel's module; empty where none is loaded.

    A container sees it too, whether it was given GPUs or not.
    """
    found = _MODULE.search(machine.read("proc/driver/nvidia/version"))
    return found[1] if found else ""


def list_gpus(machine: Machine) -> list[Gpu]:
    """List what nvidia-smi names, and the device files where there is no nvidia-smi."""
    answer = machine.ask("nvidia-smi", "-L")
    if answer is not None and answer.exit_code == 0:
        found = [_GPU.match(line) for line in answer.output.splitlines()]
        return [Gpu(each["index"] or "", each["uuid"]) for each in found if each]
    files = sorted((machine.root / "dev").glob("nvidia[0-9]*"))
    return [Gpu(file.name.removeprefix("nvidia"), "") for file in files]


def find_visible(present: list[Gpu], wanted: str | None) -> tuple[list[Gpu], str]:
    """Return which GPUs a process sees, and the first name that is none of them.

    Args:
        present: All there are.
        wanted: CUDA_VISIBLE_DEVICES: numbers or starts of UUIDs; CUDA reads it up to the first
            name that it does not know. None: not set, which shows all whole ones.
    """
    if wanted is None:
        return [gpu for gpu in present if gpu.index], ""
    visible: list[Gpu] = []
    for name in (name.strip() for name in wanted.split(",") if name.strip()):
        found = next((gpu for gpu in present if _is_called(gpu, name)), None)
        if found is None:
            return visible, name
        visible.append(found)
    return visible, ""


def _is_called(gpu: Gpu, name: str) -> bool:
    if name.isdigit():
        return gpu.index == name
    return name.startswith(("GPU-", "MIG-")) and (gpu.uuid.startswith(name) or not gpu.uuid)
