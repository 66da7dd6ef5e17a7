"""What a job asks for by number or name, beside what the machine has."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ocr.machine.finding import Finding, broken, risky
from ocr.machine.limits import GIBIBYTE, MORE_SHARED, SHARED
from ocr.machine.machine import Machine
from ocr.processors import count_processors

ROUNDED = 0.95
"""Of a bought size: what the kernel keeps for itself is not missed."""
_MEMORY = re.compile(r"^MemTotal:\s+(\d+) kB", re.MULTILINE)
_FILES = re.compile(r"^Max open files\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """What a job asks for; 0 and an empty name ask for nothing."""

    gpu: str = ""
    cpus: float = 0
    memory_gib: float = 0
    shared_memory_gib: float = 0
    open_files: int = 0


def check_asked(machine: Machine, asked: Asked) -> Iterator[Finding]:
    """Name what a machine has less of than asked for; another GPU is broken, the rest risky."""
    if asked.gpu:
        yield from _check_gpu(machine, asked.gpu)
    processors = count_processors(machine.root)
    if processors < asked.cpus:
        found = f"{processors} to use, resources.cpus: {asked.cpus:g}"
        yield risky("processors", found, "take a larger machine, or ask for fewer")
    total = _MEMORY.search(machine.read("proc/meminfo"))
    memory_gib = int(total[1]) * 1024 / GIBIBYTE if total else float("inf")
    if memory_gib < asked.memory_gib * ROUNDED:
        found = f"{memory_gib:.1f} GiB, resources.memory_gib: {asked.memory_gib:g}"
        yield risky("memory", found, "take a larger machine, or a smaller batch_size")
    shared = machine.root / SHARED.lstrip("/")
    shared_gib = machine.free_bytes(shared) / GIBIBYTE if shared.is_dir() else 0.0
    if shared_gib < asked.shared_memory_gib * ROUNDED:
        wanted = f"resources.shared_memory_gib: {asked.shared_memory_gib:g}"
        yield risky(
            "shared memory", f"{shared_gib:.1f} GiB free in {SHARED}, {wanted}", MORE_SHARED
        )
    most = _FILES.search(machine.read("proc/self/limits"))
    if most is not None and int(most[1]) < asked.open_files:
        found = f"at most {most[1]} at once, resources.open_files: {asked.open_files}"
        advice = f"ulimit -n {asked.open_files}; docker run --ulimit nofile={asked.open_files}"
        yield risky("open files", found, advice)


def _check_gpu(machine: Machine, name: str) -> Iterator[Finding]:
    answer = machine.ask("nvidia-smi", "-L")
    listed = answer.output if answer else ""
    if name.lower() not in listed.lower():
        found = ", ".join(re.findall(r"^GPU \d+: (.*?) \(UUID", listed, re.MULTILINE)) or "none"
        advice = "take a machine that has it, or leave resources.gpu empty"
        yield broken("kind of gpu", f"{found}; resources.gpu: {name!r}", advice)
