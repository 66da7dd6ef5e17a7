"""The services of one machine: Prefect's server, the worker behind its UI, the OCR gateway."""

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from filelock import FileLock

from configs.settings import Settings
from deploy.background import (
    Service,
    ServiceFailed,
    direct_loopback,
    ensure_service,
    find_service,
    python_module,
    recall_service,
    stop_service,
)
from deploy.keys import require_keys
from deploy.memory import read_memory, write_memory
from deploy.parts import minio, server
from deploy.parts.variables import our_variables
from deploy.password import read_or_make_password
from deploy.ports import (
    becomes_free,
    is_of_other_store,
    is_served_by_hand,
    is_up_at,
    refuse_port_of_others,
)
from ocr.machine.owner import Owner, find_owner
from ocr.store.state import check_home, mark_home
from tasks.gateway_address import LOOPBACK, REMEMBERED, read_remembered

HEARTBEAT_S = 30
"""How often a run says that it lives; no rarer than Prefect allows."""
LOOK_S = 3
"""How often the worker looks for runs."""
LOCK_S = 600
"""Longest wait for another command: a part may hang, be ended, and need 120 s twice to come up."""
KEEPER = "keeper"
WORKER = "worker"
GATEWAYS = "gateway-*"


@dataclass(frozen=True)
class PrefectServer:
    """Where the Prefect UI is, which file holds its password, and what went wrong since."""

    ui_url: str
    password_file: Path
    warning: str


def ensure_prefect(settings: Settings, *, with_worker: bool = True) -> PrefectServer | None:
    """Start or reuse the local Prefect server, and point this process at it.

    With the worker of its own, unless it is only asked: a worker begins what is due.
    Returns None when the environment already names a server (``PREFECT_API_URL``).
    """
    if "PREFECT_API_URL" in os.environ:
        return None
    service = ensure_server(settings)
    os.environ.update({**client_variables(settings, service.url), **direct_loopback()})
    warning = ensure_worker(settings, service.url) if with_worker else ""
    return PrefectServer(service.url, password_file(settings), warning)


def ensure_store(settings: Settings) -> Service | None:
    """Start or reuse the MinIO server that is the store of this home; None: another one is."""
    folder = services_folder(settings)
    if not minio.is_store(folder, store=settings.store, endpoint=settings.s3_endpoint):
        return None
    with _locked(settings):
        return minio.ensure_minio(settings.home, folder, moves=False)


def ensure_server(settings: Settings, *, replaces: bool = False) -> Service:
    """Start or reuse the Prefect server of this home; replace one that differs only if told."""
    with _locked(settings):
        password = read_or_make_password(password_file(settings))
        folder = services_folder(settings)
        return server.ensure_server(settings, folder, password, replaces=replaces)


def ensure_worker(settings: Settings, url: str, *, replaces: bool = False) -> str:
    """Start or reuse the worker of the server at an address; return a warning, if there is one.

    One that works with another store is left as it is, as is one with other variables unless
    told: to replace it would end the jobs it runs.
    """
    folder = services_folder(settings)
    with _locked(settings):
        worker = find_service(folder, WORKER)
        other = _find_worker_of_other_store(settings)
        if worker and other and worker.url == url:
            return f"what runs the UI's jobs works with the store {other.store} and is left so"
        if worker:
            require_keys(settings)
        had_ended = worker is None and (folder / f"{WORKER}.json").exists()
        ensure_service(
            folder,
            WORKER,
            command=python_module("deploy.worker"),
            url=url,
            environment={**our_variables(settings), **client_variables(settings, url)},
            # It needs seconds until it listens, which a run of the terminal has no use for.
            is_up=partial(_has_worker_begun, folder),
            replaces=replaces or bool(worker and worker.url != url),
        )
    log = folder / f"{WORKER}.log"
    return f"what runs the UI's jobs had ended and is started again; see {log}" * had_ended


def find_prefect(settings: Settings) -> bool:
    """Point this process at the local Prefect server if it runs; start nothing."""
    if "PREFECT_API_URL" in os.environ:
        return True
    service = find_service(settings.home / "services", server.NAME)
    if service is None:
        return False
    os.environ.update({**client_variables(settings, service.url), **direct_loopback()})
    return True


def ensure_gateway(
    settings: Settings, endpoint: str, *, engine: str = "", replaces: bool = False
) -> Service | None:
    """Start or reuse the gateway at a loopback endpoint; None: it is elsewhere, or run by hand.

    Args:
        settings: Of this machine.
        endpoint: Its address.
        engine: What is to run the nets; empty: as the environment says.
        replaces: Whether one with other variables is replaced, as one with another engine is.
    """
    parts = urlsplit(endpoint)
    if parts.hostname not in LOOPBACK:
        return None
    folder = services_folder(settings)
    port = parts.port or 80
    name = f"gateway-{port}"
    with _locked(settings):
        if recall_service(folder, name) and not find_service(folder, name):
            becomes_free(port)
        ours = find_service(folder, name)
        if ours is None and is_served_by_hand(settings, endpoint, engine=engine):
            stop_service(folder, name)  # nobody is to bring back one that had ended here
            return None
        refuse_port_of_others(settings, port, ours, engine=engine)
        if ours:
            require_keys(settings)
        memory = read_memory(folder)
        had = memory.engines.get(name, "")
        if ours and not replaces:
            engine, replaces = engine or had, bool(engine) and engine != had
        write_memory(folder, replace(memory, engines={**memory.engines, name: engine}))
        try:
            return ensure_service(
                folder,
                name,
                command=python_module("serving"),
                url=endpoint,
                environment={
                    **our_variables(settings),
                    # One service for both spellings of an address.
                    "OCRLINE_HOST": "::1" if parts.hostname == "::1" else "127.0.0.1",
                    "OCRLINE_PORT": str(port),
                    **({"OCRLINE_ENGINE": engine} if engine else {}),
                },
                is_up=partial(is_up_at, folder, name, f"{endpoint}/health/live"),
                replaces=replaces,
            )
        except ServiceFailed:
            # Another home's gateway may have taken the port while ours was starting.
            refuse_port_of_others(settings, port, find_service(folder, name), engine=engine)
            raise


def remember_endpoint(settings: Settings, endpoint: str, *, engine: str = "") -> None:
    """Keep the address, and the engine, of the gateway that the worker starts with itself.

    A worker that works with another store keeps the one it has.
    """
    with _locked(settings):
        if _find_worker_of_other_store(settings) is None:
            (settings.home / REMEMBERED).write_text(f"{endpoint} {engine}", encoding="utf-8")


def ensure_remembered_gateway(settings: Settings, *, replaces: bool = False) -> Service | None:
    """Start or reuse the gateway at the address remembered last; return None without one."""
    endpoint, engine = read_remembered(settings.home)
    if not endpoint:
        return None
    return ensure_gateway(settings, endpoint, engine=engine, replaces=replaces)


def ensure_gateways(settings: Settings, *, replaces: bool = False) -> None:
    """Start again every gateway that ended by itself, with the engine that it had."""
    folder = services_folder(settings)
    for path in sorted(folder.glob(f"{GATEWAYS}.json")):
        started = recall_service(folder, path.stem)
        if started and (replaces or find_service(folder, path.stem) is None):
            engine = read_memory(folder).engines.get(path.stem, "")
            ensure_gateway(settings, started.url, engine=engine, replaces=replaces)


def remembered_endpoint(settings: Settings) -> str:
    """Return the address of the gateway remembered last; empty: there is none."""
    return read_remembered(settings.home)[0]


def ensure_keeper(settings: Settings) -> Service:
    """Start or reuse what brings back the services that ended."""
    folder = services_folder(settings)
    with _locked(settings):
        return ensure_service(
            folder,
            KEEPER,
            command=python_module("deploy.keeper"),
            url="",
            environment=our_variables(settings),
            is_up=lambda: True,
        )


def stop_services(settings: Settings, *, only: str = "") -> list[str]:
    """Stop what was started here, or one service only; return the names of what was running.

    What would bring the others back is stopped first.
    """
    folder = services_folder(settings)
    with _locked(settings, is_whole=False):
        names = (*_names_at_the_store(folder), server.NAME, minio.NAME)
        named = [name for name in names if only in ("", name)]
        return [name for name in named if stop_service(folder, name)]


def find_at_the_store(settings: Settings) -> list[str]:
    """Return the names of what runs and works with the store that it was started with."""
    folder = services_folder(settings)
    return [name for name in _names_at_the_store(folder) if find_service(folder, name)]


def _names_at_the_store(folder: Path) -> tuple[str, ...]:
    return KEEPER, WORKER, *sorted(path.stem for path in folder.glob(f"{GATEWAYS}.json"))


def services_folder(settings: Settings) -> Path:
    """Return the folder in which services are remembered and write their logs; made if need be."""
    folder = settings.home / "services"
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def password_file(settings: Settings) -> Path:
    """Return the file that holds the login of Prefect's UI."""
    return settings.home / "services" / "prefect-password"


def client_variables(settings: Settings, url: str) -> dict[str, str]:
    """Return the variables that point Prefect's client at the server of this home."""
    return {
        "PREFECT_API_URL": f"{url}/api",
        "PREFECT_API_AUTH_STRING": read_or_make_password(password_file(settings)),
        "PREFECT_HOME": str(settings.home / "prefect"),
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(HEARTBEAT_S),
        "PREFECT_WORKER_QUERY_SECONDS": str(LOOK_S),
        "PREFECT_CLIENT_RETRY_EXTRA_CODES": "500",  # what its server says while PostgreSQL is away
        "DO_NOT_TRACK": "1",
    }


def _find_worker_of_other_store(settings: Settings) -> Owner | None:
    worker = find_service(services_folder(settings), WORKER)
    owner = find_owner(worker.pid) if worker else None
    return owner if owner and is_of_other_store(owner, settings) else None


def _has_worker_begun(folder: Path) -> bool:
    """Say whether it can be told whose it is, which it cannot while it is being executed."""
    worker = find_service(folder, WORKER)
    return bool(worker and find_owner(worker.pid))


def take_turn(settings: Settings) -> FileLock:
    """Take turns with other starts of all parts, whose variables may be others."""
    return _locked(settings, name="start.lock")


def _locked(settings: Settings, *, is_whole: bool = True, name: str = "lock") -> FileLock:
    """Take turns with other commands; in a home that is half restored, things are only stopped."""
    if is_whole:
        check_home(settings.home)
        mark_home(settings.home)
    return FileLock(services_folder(settings) / name, timeout=LOCK_S)
