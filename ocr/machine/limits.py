"""What a machine lets a process use: disk, shared memory, open files, stack, locked memory."""

from collections.abc import Iterator
from pathlib import Path

from ocr.machine.finding import Finding, broken, fine, risky
from ocr.machine.machine import Machine

MEBIBYTE = 2**20
GIBIBYTE = 2**30
DISK_FLOOR = 5 * 10**9
DISK_LEAST = 2 * 10**8
"""Below this not even one snapshot and its checkpoints find room."""
SHARED_FLOOR = 2 * GIBIBYTE
NCCL_SHARED = GIBIBYTE
"""What NVIDIA asks for where several GPUs exchange gradients on one machine."""
SHARED = "/dev/shm"  # noqa: S108 - looked at, not written to
MORE_SHARED = (
    "docker run --shm-size 8g (or --ipc host); a pod mounts an emptyDir of medium Memory on "
    "/dev/shm; mount -o remount,size=8G /dev/shm"
)
FILES_FLOOR = 1024
STACK_FLOOR = 8 * MEBIBYTE
LOCKED_FLOOR = 8 * MEBIBYTE
"""What Linux gives; Docker gave 64 KiB."""


def check_disk(machine: Machine, folder: Path) -> Finding:
    """Look for room where snapshots, checkpoints and reports are written."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = machine.free_bytes(existing)
    said = f"{free / 1e9:.1f} GB free under {existing}"
    advice = "free some (ocrline prune shows what may go), or set OCRLINE_HOME to a larger disk"
    if free < DISK_LEAST:
        return broken("disk", f"only {said}", advice)
    return risky("disk", f"only {said}", advice) if free < DISK_FLOOR else fine("disk", said)


def check_shared_memory(machine: Machine, *, gpus: int = 0, loaders: int = 0) -> Finding:
    """Compare /dev/shm with what GPUs that exchange gradients, and loading processes, lay there."""
    part, shared = "shared memory", machine.root / SHARED.lstrip("/")
    free = machine.free_bytes(shared) if shared.is_dir() else 0
    said = f"{_size(free)} free in {SHARED}"
    if gpus > 1 and free < NCCL_SHARED:
        who = f"{gpus} GPUs that exchange gradients"
        return risky(part, f"{said}; {who} may need {_size(NCCL_SHARED)}", MORE_SHARED)
    if loaders and free < SHARED_FLOOR:
        who = f"{loaders} processes that hand over batches"
        return risky(part, f"{said}; {who} may need {_size(SHARED_FLOOR)}", MORE_SHARED)
    if free < SHARED_FLOOR:
        few = "enough here; several GPUs in a container want 2 GiB: docker run --shm-size 8g"
        return fine(part, f"{said}: {few}")
    return fine(part, said)


def check_limits(machine: Machine, *, gpus: int = 0) -> Iterator[Finding]:
    """Look at the limits of this process that trainings were seen to meet."""
    limits = _read_limits(machine)
    files = limits.get("Max open files")
    if files is not None:
        said = f"{files} may be open at once"
        advice = f"ulimit -n {FILES_FLOOR} or more; docker run --ulimit nofile=65536"
        few = files < FILES_FLOOR
        yield risky("open files", said, advice) if few else fine("open files", said)
    stack = limits.get("Max stack size")
    if stack is not None and stack < STACK_FLOOR:
        advice = "ulimit -s 65536; docker run --ulimit stack=67108864"
        yield risky("stack", f"{_size(stack)} a thread; deep calls end with a fault", advice)
    locked = limits.get("Max locked memory")
    if gpus > 1 and locked is not None and locked < LOCKED_FLOOR:
        yield risky(
            "locked memory",
            f"at most {_size(locked)}; NCCL pins what {gpus} GPUs exchange",
            "ulimit -l unlimited; docker run --ulimit memlock=-1; systemd: LimitMEMLOCK=infinity",
        )


def _read_limits(machine: Machine) -> dict[str, int]:
    """Return the soft limits of this process that are not unlimited (bytes, or a count)."""
    lines = machine.read("proc/self/limits").splitlines()[1:]
    soft = {line[:26].strip(): line[26:].split()[0] for line in lines if line[26:].strip()}
    return {name: int(value) for name, value in soft.items() if value.isdigit()}


def _size(count: int) -> str:
    if count < MEBIBYTE:
        return f"{count / 1024:.0f} KiB"
    if count < GIBIBYTE:
        return f"{count / MEBIBYTE:.0f} MiB"
    return f"{count / GIBIBYTE:.1f} GiB"
