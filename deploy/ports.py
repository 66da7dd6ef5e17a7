"""Ports of services: free ones, those that services had, and who listens at one."""

import random
import socket
import time
from collections import deque
from pathlib import Path
from urllib.parse import urlsplit

from deploy.background import ServiceFailed, find_family, find_service
from deploy.web import answers
from ocr.machine.owner import find_listeners, is_listening

FREE_PORTS = range(20_000, 30_000)
"""Below those that Linux gives to connections: one that begins at a server's port before it is up,
or while it is away, keeps it from coming back, for a minute after its end."""
LET_GO_S = 10.0
"""So long a service that comes back waits for the port that it had: a process that was killed has
its port yet while one of its threads ends."""
_picked: deque[int] = deque(maxlen=100)
"""By this process, of late: nobody may listen there yet."""


def pick_port(preferred: int) -> int:
    """Return the preferred loopback port if it is free, one of `FREE_PORTS` otherwise.

    Args:
        preferred: The port; 0: any.

    Raises:
        ServiceFailed: None is free.
    """
    if preferred and is_free(preferred):
        return preferred
    for port in random.SystemRandom().sample(FREE_PORTS, min(200, len(FREE_PORTS))):
        if port not in _picked and is_free(port):
            _picked.append(port)
            return port
    raise ServiceFailed("No free port on 127.0.0.1")


def find_address(folder: Path, name: str, *, had: int, preferred: int) -> str:
    """Return where a service is, or where to start it: at the port it had, if that becomes free.

    Args:
        folder: Where services are remembered.
        name: The service's.
        had: Its last port; 0: it is new.
        preferred: The port of a new one.

    Raises:
        ServiceFailed: No port is free.
    """
    if service := find_service(folder, name):
        return service.url
    if had:
        becomes_free(had)
    return f"http://127.0.0.1:{pick_port(had or preferred)}"


def becomes_free(port: int) -> bool:
    """Wait until nobody has a loopback port, for `LET_GO_S` at most; say whether it is free."""
    end = time.monotonic() + LET_GO_S
    while not is_free(port) and time.monotonic() < end:
        time.sleep(0.1)
    return is_free(port)


def is_free(port: int) -> bool:
    """Say whether nobody has a loopback port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def is_up_at(folder: Path, name: str, url: str, *, password: str = "") -> bool:
    """Say whether a service answers at an address, and not whoever else does until it can.

    Args:
        folder: Where services are remembered.
        name: The service's.
        url: The address, on loopback.
        password: ``user:password`` of basic authentication, empty for none.

    Raises:
        ServiceFailed: Another program takes connections there, too.
    """
    service, parts = find_service(folder, name), urlsplit(url)
    port = parts.port or 80
    family = {process.pid for process in find_family(folder, service.pid)} if service else set()
    if not any(is_listening(pid, port) for pid in family):
        return False
    here = "::1" if parts.hostname == "::1" else "127.0.0.1"  # which Linux prefers to 0.0.0.0
    if others := find_listeners(port, at=here) - family:
        raise ServiceFailed(
            f"{name} shares port {port} with process {min(others)}, which gets some of its "
            "requests; stop that"
        )
    return answers(url, password=password)
