"""The memory of this machine that is free for a training, and what GPUs have in use."""

from collections.abc import Iterator

from ocr.errors import BadInput
from ocr.machine.machine import Machine

MEBIBYTE = 1024 * 1024
_GROUPS = "sys/fs/cgroup"
_FILES = (
    ("", "memory.max", "memory.current", "inactive_file"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Of cgroups of version 2 and 1: folder, limit, usage, and of it what the kernel would give up."""


def free_memory_mib(machine: Machine) -> float:
    """Return what is free for further processes (MiB): of the machine, and within its cgroups."""
    lines = machine.read("proc/meminfo").splitlines()
    kib = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), 0)
    if not kib:
        raise BadInput("/proc/meminfo names no MemAvailable; the memory that is free is not known")
    return min([kib / 1024, *_free_in_groups(machine)])


def gpu_memory_mib(machine: Machine, gpus: int) -> tuple[float, float]:
    """Return what the fullest of the first visible GPUs has in use, and all it has (MiB).

    Raises:
        BadInput: nvidia-smi does not say.
    """
    query = ["--query-gpu=memory.used,memory.total", "--format=csv,noheader,nounits"]
    visible = machine.environment.get("CUDA_VISIBLE_DEVICES", "")
    chosen = ",".join([name for name in visible.split(",") if name][:gpus])
    answer = machine.ask("nvidia-smi", *query, *(["-i", chosen] if chosen else []))
    rows = answer.output.splitlines()[:gpus] if answer and answer.exit_code == 0 else []
    try:
        pairs = [tuple(float(each) for each in row.split(",")) for row in rows]
        return max((used, total) for used, total in pairs)
    except ValueError:
        said = answer.said if answer else "it is not on PATH"
        raise BadInput(f"nvidia-smi does not say how much memory is in use: {said}") from None


def _free_in_groups(machine: Machine) -> Iterator[float]:
    for line in machine.read("proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        folder, limit, usage, reclaimable = _FILES[1 if controllers else 0]
        mounted = f"{_GROUPS}/{folder}".rstrip("/")
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts) + 1):  # a container sees its own group as the mounted one
            group = "/".join([mounted, *parts[:depth]])
            most = machine.read(f"{group}/{limit}").strip()
            used = machine.read(f"{group}/{usage}").strip()
            if most.isdigit() and used.isdigit():
                yield (int(most) - int(used) + _count(machine, group, reclaimable)) / MEBIBYTE


def _count(machine: Machine, group: str, name: str) -> int:
    lines = machine.read(f"{group}/memory.stat").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name} ")), 0)
