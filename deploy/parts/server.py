"""Prefect's server of a home: at its own address, behind its own password."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from configs.settings import Settings
from deploy.background import (
    Service,
    ServiceFailed,
    ensure_service,
    find_service,
    python_module,
)
from deploy.memory import read_memory, write_memory
from deploy.parts.database import SQLITE, connect_to, find_database
from deploy.parts.release import CODE, name_release
from deploy.ports import find_address, is_up_at, pick_port

NAME = "prefect"
PORT = 4200
PROCESS = "deploy.parts.prefect_process"
EVENT_ORDER = "deploy.parts.event_order"


def ensure_server(
    settings: Settings, folder: Path, password: str, *, replaces: bool = False
) -> Service:
    """Start or reuse the server where it was; its port is another's only if somebody has it.

    Args:
        settings: Of this machine.
        folder: Where services are remembered.
        password: ``user:password`` of its login.
        replaces: Whether one with other settings is replaced; else it keeps its database.

    Raises:
        ServiceFailed: It did not come up, or its database cannot be reached.
    """
    known, memory = find_service(folder, NAME), read_memory(folder)
    url = find_address(folder, NAME, had=memory.port, preferred=PORT)
    if known and not replaces and find_database(settings, folder) != (memory.database or SQLITE):
        kept = {"database": memory.database, "database_password": ""}
        settings = settings.model_copy(update=kept)
    database = connect_to(settings, folder)
    start = partial(_start, settings, folder, password, database, replaces=replaces)
    try:
        service = start(url)
    except ServiceFailed:
        if known and not replaces:
            raise
        # Another home's services may have taken the port while ours was away.
        service = start(_loopback(pick_port(0)))
    address = find_database(settings, folder)
    port = urlsplit(service.url).port or 0
    write_memory(folder, replace(memory, port=port, database=address))
    return service


def _loopback(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _start(
    settings: Settings,
    folder: Path,
    password: str,
    database: dict[str, str],
    url: str,
    *,
    replaces: bool,
) -> Service:
    return ensure_service(
        folder,
        NAME,
        command=python_module(PROCESS, "server", "start", "--host", "127.0.0.1"),
        url=url,
        environment={
            "PREFECT_HOME": str(settings.home / "prefect"),
            # A bare --port leaves the UI calling 4200.
            "PREFECT_SERVER_API_PORT": str(urlsplit(url).port),
            "PREFECT_UI_URL": url,
            # Without it anybody on the machine reads every stored secret in plain text.
            "PREFECT_SERVER_API_AUTH_STRING": password,
            "PREFECT_API_AUTH_STRING": password,
            "PREFECT_API_URL": f"{url}/api",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
            # Else runs and their logs are kept for ever; these go 90 days after their end.
            "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
            "PREFECT_SERVER_EVENTS_CAUSAL_ORDERING": EVENT_ORDER,
            "DO_NOT_TRACK": "1",
            CODE: name_release(),
            **database,
        },
        # Not /api/health, which the server of another home answers as well.
        is_up=partial(is_up_at, folder, NAME, f"{url}/api/admin/version", password=password),
        replaces=replaces,
    )
