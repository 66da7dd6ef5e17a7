"""Background processes of one machine: started detached, remembered in a file, stopped by id."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import psutil
from pydantic import Field, TypeAdapter, ValidationError

from ocr.machine.owner import find_drain_s
from ocr.store.whole import written_whole

CLOCK_TICK_S = 0.01
STOP_S = 15
SHELL = "/bin/sh"
ONCE_TOLD = 'read -r told && exec "$0" "$@" </dev/null'


class ServiceFailed(RuntimeError):
    """A background process that cannot be had; the message says why."""


class NotUp(ServiceFailed):
    """It ended, or was not up in time; the message names its log."""


@dataclass(frozen=True)
class Service:
    """A running background process.

    ``started``, in seconds from the machine's start, tells it from a later process of the same id,
    ``environment`` (a SHA-256) from one that serves another store, token or engine.
    """

    name: str
    pid: Annotated[int, Field(gt=0)]
    started: float
    url: str
    log: str
    environment: str = ""


def find_service(folder: Path, name: str) -> Service | None:
    """Return the remembered process if it still runs; a copy of a folder remembers none."""
    service = recall_service(folder, name)
    if service is None or _is_copied(folder, service):
        return None
    try:
        process = psutil.Process(service.pid)
        same = abs(_started_s(process) - service.started) < CLOCK_TICK_S
    except psutil.NoSuchProcess:
        return None
    return service if same and _is_alive(process) else None


def _is_copied(folder: Path, service: Service) -> bool:
    """Say whether another folder remembers this process; one that was moved there does not."""
    written = Path(service.log).parent
    try:
        return recall_service(written, service.name) == service and not written.samefile(folder)
    except OSError:  # it is somebody else's
        return True


def recall_service(folder: Path, name: str) -> Service | None:
    """Return the process that was started last and not stopped, whether or not it still runs."""
    try:
        return TypeAdapter(Service).validate_json((folder / f"{name}.json").read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValidationError):
        return None


def ensure_service(
    folder: Path,
    name: str,
    *,
    command: Sequence[str],
    url: str,
    environment: Mapping[str, str],
    is_up: Callable[[], bool],
    timeout_s: float = 120,
    replaces: bool = False,
) -> Service:
    """Wait for the remembered process; start one where there is none, or it hangs.

    Args:
        folder: Where services are remembered.
        name: The service's.
        command: What starts it.
        url: Where it is then.
        environment: What it is told besides our environment.
        is_up: Whether it is.
        timeout_s: Most seconds until it is.
        replaces: Whether one of another environment is replaced. It may run jobs.

    Raises:
        ServiceFailed: As ``start_service`` does.
    """
    service = find_service(folder, name)
    if service and (not replaces or service.environment == _digest(environment)):
        with suppress(NotUp, psutil.NoSuchProcess):
            _wait_until_up(psutil.Process(service.pid), service, is_up=is_up, timeout_s=timeout_s)
            return service
    stop_service(folder, name)
    return start_service(
        folder,
        name,
        command=command,
        url=url,
        environment=environment,
        is_up=is_up,
        timeout_s=timeout_s,
    )


def start_service(
    folder: Path,
    name: str,
    *,
    command: Sequence[str],
    url: str,
    environment: Mapping[str, str],
    is_up: Callable[[], bool],
    timeout_s: float = 120,
) -> Service:
    """Start a command detached and wait until it is up.

    Raises:
        NotUp: Its log's end is quoted.
        ServiceFailed: Of ``is_up``. What was started has ended either way.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name}.log"
    with _spawned(command, environment, log) as pid:
        process = psutil.Process(pid)
        service = Service(
            name=name,
            pid=pid,
            started=_started_s(process),
            url=url,
            log=str(log),
            environment=_digest(environment),
        )
        with written_whole(folder / f"{name}.json") as content:
            content.write(json.dumps(asdict(service)).encode())
    try:
        _wait_until_up(process, service, is_up=is_up, timeout_s=timeout_s)
    except ServiceFailed:
        _end(find_family(folder, process.pid), timeout_s=STOP_S)
        raise
    return service


def stop_service(folder: Path, name: str) -> bool:
    """Stop the remembered process and its children, but no service that it started itself.

    A gateway has its time to finish before the others are told.

    Returns:
        Whether there was one.

    Raises:
        ServiceFailed: It belongs to another user.
    """
    service = find_service(folder, name)
    if service is None:
        (folder / f"{name}.json").unlink(missing_ok=True)
        return False
    family = find_family(folder, service.pid)
    _signal(family[:1], "terminate")
    psutil.wait_procs(family[:1], timeout=STOP_S + find_drain_s(service.pid))
    _end(family, timeout_s=STOP_S)
    (folder / f"{name}.json").unlink(missing_ok=True)
    return True


def python_module(*words: str) -> list[str]:
    """Return the command that runs a module with our interpreter."""
    return [sys.executable, "-m", *words]


def clean_environment() -> dict[str, str]:
    """Return our environment as our own processes need it.

    With bytecode caching, without which every import is three times slower; with loopback reached
    directly; and without the current folder, whose ``serving.py`` would run instead of ours.
    """
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **direct_loopback(), "PYTHONSAFEPATH": "1"}


def direct_loopback() -> dict[str, str]:
    """Return the variables that keep loopback from the proxy, whatever else they keep from it."""
    # Where both spellings are set, the lower one is read.
    given = os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")
    hosts = [host.strip() for host in given.split(",") if host.strip()]
    joined = ",".join(dict.fromkeys([*hosts, "127.0.0.1", "localhost"]))
    return {"NO_PROXY": joined, "no_proxy": joined}


@contextmanager
def _spawned(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[int]:
    """Yield the id of a process that becomes the command afterwards, or ends with this one.

    So that nothing runs that nobody remembers, whenever this process is killed.
    """
    told, teller = os.pipe()
    try:
        with log.open("ab") as stream:
            # Not subprocess.Popen: it warns of, and reaps, what is meant to outlive us.
            pid = os.posix_spawn(
                SHELL,
                [SHELL, "-c", ONCE_TOLD, *command],
                {**clean_environment(), **environment},
                setsid=True,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, told, 0),
                    (os.POSIX_SPAWN_DUP2, stream.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, stream.fileno(), 2),
                ],
            )
        yield pid
        os.write(teller, b"\n")
    finally:
        os.close(told)
        os.close(teller)


def find_family(folder: Path, pid: int) -> list[psutil.Process]:
    """Return a process and what it started, but for services, which outlive it; none: it ended."""
    services = _service_ids(folder) - {pid}
    try:
        main = psutil.Process(pid)
        return [main, *(p for p in main.children(recursive=True) if p.pid not in services)]
    except psutil.NoSuchProcess:
        return []


def _service_ids(folder: Path) -> set[int]:
    services = [find_service(folder, path.stem) for path in folder.glob("*.json")]
    return {service.pid for service in services if service}


def _digest(environment: Mapping[str, str]) -> str:
    return sha256(json.dumps(dict(environment), sort_keys=True).encode()).hexdigest()


def _started_s(process: psutil.Process) -> float:
    """Return seconds from the machine's start; both times move when its clock is set."""
    return process.create_time() - psutil.boot_time()


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _signal(processes: Sequence[psutil.Process], method: str) -> None:
    for process in processes:
        try:
            getattr(process, method)()
        except psutil.NoSuchProcess:
            continue
        except psutil.AccessDenied:
            raise ServiceFailed(f"Process {process.pid} belongs to another user") from None


def _end(processes: Sequence[psutil.Process], *, timeout_s: float) -> None:
    """Ask processes to end, and kill those that do not."""
    _signal(processes, "terminate")
    _, alive = psutil.wait_procs(processes, timeout=timeout_s)
    _signal(alive, "kill")
    psutil.wait_procs(alive, timeout=timeout_s)


def _wait_until_up(
    process: psutil.Process,
    service: Service,
    *,
    is_up: Callable[[], bool],
    timeout_s: float,
) -> None:
    deadline = time.monotonic() + timeout_s
    # Alive first: another program may answer at the address of one that died.
    while not (_is_alive(process) and is_up()):
        if not _is_alive(process) or time.monotonic() > deadline:
            tail = Path(service.log).read_text(encoding="utf-8", errors="replace")[-600:].strip()
            raise NotUp(
                f"{service.name} did not come up at {service.url}; {service.log} ends:\n{tail}"
            )
        time.sleep(0.2)
