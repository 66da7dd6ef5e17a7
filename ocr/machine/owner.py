"""Whose a process is: the home and the store that it works with, and who listens at a port."""

import os
import pwd
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import urlsplit

import psutil

DRAIN_S = 20
"""What `OCRLINE_DRAIN_S` is by default."""
UNKNOWN = "another program"
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - where others listen


@dataclass(frozen=True)
class Owner:
    """A process of ours: its id, the home it belongs to, the store and the S3 server behind it.

    ``engine`` is what runs nets, as its environment says; empty: as by default. ``drain_s`` is how
    long a gateway may finish when it is stopped, in seconds.
    """

    pid: int
    home: Path
    store: str
    s3_endpoint: str
    engine: str = ""
    drain_s: float = 0.0

    def has_store(self, store: str, *, s3_endpoint: str) -> bool:
        """Say whether it works with a store, however that is spelled."""
        if _spell(store, folder=Path.cwd()) != self.store:
            return False
        return not store.startswith("s3://") or s3_endpoint == self.s3_endpoint

    @property
    def told(self) -> str:
        """What tells a command to work with this store."""
        server = f"MINIO_ENDPOINT={quote(self.s3_endpoint)} " * self.store.startswith("s3://")
        return f"{server}OCRLINE_STORE={quote(self.store)}"

    def __str__(self) -> str:
        server = f" at {self.s3_endpoint}" * self.store.startswith("s3://")
        engine = f" and the engine {self.engine}" * bool(self.engine)
        home = f"process {self.pid} of the home {self.home}"
        return f"{home} with the store {self.store}{server}{engine}"


def name_user() -> str:
    """Name the user of this process and the machine, whatever the environment says."""
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # as in a container
        user = str(os.getuid())
    said = f"{user}@{socket.gethostname()}"
    return "".join(each if each.isprintable() else "?" for each in said)


def find_owner(pid: int) -> Owner | None:
    """Read from a process whose it is; None: it is none of ours, or somebody else's to read."""
    try:
        process = psutil.Process(pid)
        command, variables = process.cmdline(), process.environ()
        folder = Path(process.cwd())
    except psutil.Error:
        return None
    if not {"serving", "deploy.worker"} & set(command):
        return None
    home = (folder / variables.get("OCRLINE_HOME", ".ocrline")).resolve()
    store = variables.get("OCRLINE_STORE") or f"file://{home / 'store'}"
    return Owner(
        pid,
        home,
        _spell(store, folder=folder),
        s3_endpoint=variables.get("MINIO_ENDPOINT", ""),
        engine=variables.get("OCRLINE_ENGINE", ""),
        drain_s=_drain_s(variables) if "serving" in command else 0.0,
    )


def find_drain_s(pid: int) -> float:
    """Return how many seconds a gateway may finish in; of another process, and of none, 0."""
    owner = find_owner(pid)
    return owner.drain_s if owner else 0.0


def _drain_s(variables: Mapping[str, str]) -> float:
    try:
        return float(variables.get("OCRLINE_DRAIN_S") or DRAIN_S)
    except ValueError:  # with which it does not start
        return 0.0


def find_owners(url: str) -> list[Owner]:
    """Return whose processes of ours listen at an address of this machine, as far as we may know.

    Args:
        url: With a host on loopback.
    """
    parts = urlsplit(url)
    here = "::1" if parts.hostname == "::1" else "127.0.0.1"  # which Linux prefers to 0.0.0.0
    found = (find_listeners(parts.port or 80, at=at) for at in (here, *EVERYWHERE))
    listeners: set[int] = next(filter(None, found), set())
    return list(filter(None, map(find_owner, sorted(listeners))))


def find_owner_of(home: Path) -> Owner | None:
    """Return a process of ours, of a home, wherever it listens; None: we may read of none."""
    owners = filter(None, map(find_owner, psutil.pids()))
    return next((owner for owner in owners if owner.home == home.resolve()), None)


def find_owner_at(url: str, *, home: Path) -> Owner | None:
    """Return a process of ours, of a home, that listens at an address of this machine."""
    return next((owner for owner in find_owners(url) if owner.home == home.resolve()), None)


def describe_listener(port: int) -> str:
    """Say whose process listens at a port of this machine, as far as we may know."""
    pids = sorted(find_listeners(port))
    if owners := [owner for owner in map(find_owner, pids) if owner]:
        return f"a gateway, {owners[0]}"
    return f"{UNKNOWN}, process {pids[0]}" if pids else UNKNOWN


def find_listeners(port: int, *, at: str = "") -> set[int]:
    """Return the processes that listen at a port of this machine, as far as we may know.

    Args:
        port: The port.
        at: The address that counts; empty: all do.
    """
    try:
        connections = psutil.net_connections("tcp")
    except psutil.Error:
        return set()
    return {c.pid for c in connections if _listens(c, port, at=at) and c.pid}


def is_listening(pid: int, port: int) -> bool:
    """Say whether this very process listens at a port; of one that we may not ask, that it does."""
    try:
        return any(_listens(c, port) for c in psutil.Process(pid).net_connections("tcp"))
    except psutil.AccessDenied:
        return True
    except psutil.Error:
        return False


def _listens(connection: Any, port: int, *, at: str = "") -> bool:
    if connection.status != psutil.CONN_LISTEN:
        return False
    return connection.laddr.port == port and at in ("", connection.laddr.ip)


def _spell(store: str, *, folder: Path) -> str:
    """Return the URI of a store in one spelling; a relative path is one in the folder."""
    scheme, separator, rest = store.partition("://")
    if separator and scheme != "file":
        return store.rstrip("/")
    return f"file://{(folder / (rest if separator else store)).resolve()}"
