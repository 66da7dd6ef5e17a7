"""What a server's processes take: the one that was started, and all that it started."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import psutil

MEBIBYTE: Final = 2**20
ROLES: Final = {"serving.workers.child": "worker", "ocr.decoding.child": "decoder"}


@dataclass(frozen=True)
class Usage:
    """What one process holds.

    Attributes:
        role: gateway, worker or decoder.
        pid: Its id.
        pss_mib: Its memory, with its share of what others use too.
        descriptors: Open files and sockets.
        threads: Of it.
    """

    role: str
    pid: int
    pss_mib: float
    descriptors: int
    threads: int


def process_tree(process: psutil.Process) -> list[psutil.Process]:
    """List a process and all that it started."""
    return [process, *process.children(recursive=True)]


def workers(process: psutil.Process) -> list[psutil.Process]:
    """List a gateway's processes that read."""
    return [child for child in process.children() if role(child) == "worker"]


def role(process: psutil.Process) -> str:
    """Say what a process of a gateway is."""
    return next((ROLES[word] for word in process.cmdline() if word in ROLES), "gateway")


def usage(process: psutil.Process) -> list[Usage]:
    """Say what each process of a gateway holds."""
    found = []
    for one in process_tree(process):
        with one.oneshot():
            pss_mib = one.memory_full_info().pss / MEBIBYTE
            found.append(Usage(role(one), one.pid, pss_mib, one.num_fds(), one.num_threads()))
    return found


def cpu_s(processes: Sequence[psutil.Process]) -> float:
    """Return the processor time that processes have taken."""
    times = [one.cpu_times() for one in processes]
    return sum(each.user + each.system for each in times)


def rss_mib(processes: Sequence[psutil.Process]) -> float:
    """Return the memory of processes; what they share counts for each."""
    return sum(one.memory_info().rss for one in processes) / MEBIBYTE
