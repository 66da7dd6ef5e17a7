"""What a job takes of a machine while it runs, seen from outside, whatever trains in it."""

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from pydantic import TypeAdapter, ValidationError

from ocr.machine.limits import MEBIBYTE, SHARED

SAMPLE_S = 2.0
QUERY = ("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
QUERY_TIMEOUT_S = 10


@dataclass(frozen=True)
class Usage:
    """The most that a job took at a time; 0 of what was not there or could not be seen.

    Attributes:
        peak_memory_mib: Resident memory of its processes together; what they share counts for each.
        peak_shared_memory_mib: What /dev/shm grew by, whoever laid it there.
        peak_device_memory_mib: Memory that its processes hold on all GPUs together.
        seconds: From its start to its end.
    """

    peak_memory_mib: float
    peak_shared_memory_mib: float
    peak_device_memory_mib: float
    seconds: float

    def __or__(self, later: "Usage") -> "Usage":
        """Return what a job took that was run again to go on."""
        return Usage(
            peak_memory_mib=max(self.peak_memory_mib, later.peak_memory_mib),
            peak_shared_memory_mib=max(self.peak_shared_memory_mib, later.peak_shared_memory_mib),
            peak_device_memory_mib=max(self.peak_device_memory_mib, later.peak_device_memory_mib),
            seconds=round(self.seconds + later.seconds, 1),
        )


def read_usage(path: Path) -> Usage | None:
    """Read the usage of a job as JSON; None of what is not there or damaged."""
    try:
        return TypeAdapter(Usage).validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


class UsageMeter:
    """Samples a process and all that it started."""

    def __init__(
        self, find: Callable[[], int], *, on_gpus: bool, shared: Path = Path(SHARED)
    ) -> None:
        """Begin when a process is started.

        Args:
            find: Returns its id, 0 while that is not known; asked until it is.
            on_gpus: Ask nvidia-smi as well.
            shared: Where shared memory lies.
        """
        self._find = find
        self._pid = 0
        self._on_gpus = on_gpus
        self._shared = shared
        self._began = time.monotonic()
        self._looked = -SAMPLE_S
        self._memory = self._shared_memory = self._device_memory = 0.0
        self._shared_before = self._shared_used()

    def look(self) -> None:
        """Take a sample, if the last one is old enough."""
        if time.monotonic() - self._looked < SAMPLE_S:
            return
        self._looked = time.monotonic()
        found = self._processes()
        self._memory = max(self._memory, sum(found.values()) / MEBIBYTE)
        grown = (self._shared_used() - self._shared_before) / MEBIBYTE
        self._shared_memory = max(self._shared_memory, grown)
        if self._on_gpus:
            self._device_memory = max(self._device_memory, _device_memory_mib(set(found)))

    @property
    def usage(self) -> Usage:
        """What was seen so far."""
        return Usage(
            peak_memory_mib=round(self._memory, 1),
            peak_shared_memory_mib=round(self._shared_memory, 1),
            peak_device_memory_mib=round(self._device_memory, 1),
            seconds=round(time.monotonic() - self._began, 1),
        )

    def _processes(self) -> dict[int, int]:
        """Return the bytes that each process of the tree holds."""
        found: dict[int, int] = {}
        self._pid = self._pid or self._find()
        if not self._pid:
            return found
        with suppress(psutil.NoSuchProcess):
            root = psutil.Process(self._pid)
            for process in (root, *root.children(recursive=True)):
                with suppress(psutil.Error):  # it ended meanwhile
                    found[process.pid] = process.memory_info().rss
        return found

    def _shared_used(self) -> int:
        return psutil.disk_usage(str(self._shared)).used if self._shared.is_dir() else 0


def _device_memory_mib(processes: set[int]) -> float:
    """Ask nvidia-smi what processes hold; 0 where it says nothing of them."""
    try:
        said = subprocess.run(
            ["nvidia-smi", *QUERY],
            capture_output=True,
            text=True,
            timeout=QUERY_TIMEOUT_S,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0.0
    rows = [line.split(",") for line in said.splitlines() if line.count(",") == 1]
    return sum(
        float(used)
        for pid, used in rows
        if pid.strip().isdigit() and int(pid) in processes and used.strip().isdigit()
    )
