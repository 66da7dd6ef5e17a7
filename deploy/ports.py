"""Ports of services: free ones, those that services had, and whose gateway listens at one."""

import random
import socket
import time
from collections import deque
from pathlib import Path
from urllib.parse import urlsplit

from configs.settings import Settings
from deploy.background import Service, ServiceFailed, find_family, find_service
from deploy.web import answers
from ocr.machine.owner import (
    Owner,
    describe_listener,
    find_listeners,
    find_owner,
    find_owner_at,
    is_listening,
)

FREE_PORTS = range(20_000, 30_000)
"""Below those that Linux gives to connections: one that begins at a server's port before it is up,
or while it is away, keeps it from coming back, for a minute after its end."""
LET_GO_S = 10.0
"""So long a service that comes back waits for the port that it had: a process that was killed has
its port yet while one of its threads ends."""
USUAL_ENGINE = str(Settings.model_fields["engine"].default)
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
    parts = urlsplit(url)
    port = parts.port or 80
    here = "::1" if parts.hostname == "::1" else "127.0.0.1"  # which Linux prefers to 0.0.0.0
    # Before the family: a worker that begins meanwhile is in it, and one that ended has no port.
    listeners = find_listeners(port, at=here)
    service = find_service(folder, name)
    family = {process.pid for process in find_family(folder, service.pid)} if service else set()
    if not any(is_listening(pid, port) for pid in family):
        return False
    if others := [pid for pid in sorted(listeners - family) if is_listening(pid, port)]:
        raise ServiceFailed(
            f"{name} shares port {port} with process {others[0]}, which gets some of its "
            "requests; stop that"
        )
    return answers(url, password=password)


def is_served_by_hand(settings: Settings, endpoint: str, *, engine: str) -> bool:
    """Say whether a person serves the store of a home at an address, as it is wanted there.

    Args:
        settings: Of the home.
        endpoint: The address, on loopback.
        engine: What is to run the nets; empty: as the environment says.
    """
    owner = find_owner_at(endpoint, home=settings.home)
    if owner is None or is_of_other_store(owner, settings):
        return False
    wanted = engine or settings.engine
    return (owner.engine or USUAL_ENGINE) == wanted and answers(f"{endpoint}/health/live")


def refuse_port_of_others(
    settings: Settings, port: int, ours: Service | None, *, engine: str
) -> None:
    """Let nobody end what serves another store, belongs to another home or was started by hand.

    Args:
        settings: Of the home.
        port: The port of a gateway, on loopback.
        ours: The gateway that was started there, if it runs.
        engine: As of `is_served_by_hand`.
    """
    if ours is None and is_free(port):
        return
    owner = find_owner(ours.pid) if ours else None
    if ours and not (owner and is_of_other_store(owner, settings)):
        return
    taken = f"a gateway, {owner}" if owner else describe_listener(port)
    raise ServiceFailed(
        f"Port {port} is taken by {taken}; the store of this run is {settings.store}, its engine "
        f"{engine or settings.engine}. It is left as it is: choose another port, "
        "--set deployment.endpoint=http://127.0.0.1:PORT (ocrline up: --endpoint), or stop it first"
    )


def is_of_other_store(owner: Owner, settings: Settings) -> bool:
    """Say whether a process of ours works with another store than a home does."""
    return not owner.has_store(settings.store, s3_endpoint=settings.s3_endpoint)
