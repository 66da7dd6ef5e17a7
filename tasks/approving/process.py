"""Which process waits, and whether it still does, as far as this machine can tell."""

import os
import socket

import psutil


def name_process() -> str:
    """Name this process by its machine, its id and when it began."""
    return f"{socket.gethostname()} {os.getpid()} {psutil.Process().create_time():.2f}"


def has_ended(named: str) -> bool:
    """Say whether a process that was named so is known to be gone; another machine's is not."""
    machine, pid, began = named.split(" ")
    if machine != socket.gethostname():
        return False
    try:
        return f"{psutil.Process(int(pid)).create_time():.2f}" != began
    except psutil.Error:
        return True
