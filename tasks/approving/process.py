"""Which process waits, and whether it still does, as far as this machine can tell."""

import os
import socket
from typing import Final

import psutil

SAME_S: Final = 2.0
"""The kernel counts the machine's start in whole seconds, and may count anew between two looks."""


def name_process() -> str:
    """Name this process by its machine, its id and when it began."""
    return f"{socket.gethostname()} {os.getpid()} {_started_s(os.getpid()):.2f}"


def lives_here(named: str) -> bool:
    """Say whether a process that was named so is known to live on this machine."""
    return named.startswith(f"{socket.gethostname()} ") and not has_ended(named)


def has_ended(named: str) -> bool:
    """Say whether a process that was named so is known to be gone; another machine's is not."""
    machine, pid, began = named.split(" ")
    if machine != socket.gethostname():
        return False
    try:
        return abs(_started_s(int(pid)) - float(began)) > SAME_S
    except psutil.Error:
        return True


def _started_s(pid: int) -> float:
    """Return seconds from the machine's start; both times move when its clock is set."""
    return psutil.Process(pid).create_time() - psutil.boot_time()
