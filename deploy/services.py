"""The services of one machine: Prefect's server, the worker behind its UI, the OCR gateway."""

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from filelock import FileLock

from configs.settings import Settings
from deploy.background import (
    Service,
    ServiceFailed,
    direct_loopback,
    ensure_service,
    find_service,
    pick_port,
    stop_service,
)
from deploy.memory import read_memory, write_memory
from deploy.owner import Owner, describe_listener, find_owner, is_listening
from deploy.password import read_or_make_password
from ocr.store.state import check_home, mark_home

PREFECT_PORT = 4200
HEARTBEAT_S = 30
"""How often a run says that it lives; no rarer than Prefect allows."""
LOOK_S = 3
"""How often the worker looks for runs."""
ENDPOINT = "endpoint"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class PrefectServer:
    """Where the Prefect UI is, which file holds its password, and what went wrong since."""

    ui_url: str
    password_file: Path
    warning: str


def ensure_prefect(settings: Settings) -> PrefectServer | None:
    """Start or reuse the local Prefect server and point this process at it.

    Returns None when the environment already names a server (``PREFECT_API_URL``).
    """
    if "PREFECT_API_URL" in os.environ:
        return None
    folder = _folder(settings)
    with _locked(settings):
        password_file = folder / "prefect-password"
        password = read_or_make_password(password_file)
        service = _ensure_server(settings, password)
        client = _prefect_client(service.url, password, settings)
        os.environ.update({**client, **direct_loopback()})
        warning = _warn_of_worker(settings)
        _ensure_worker(settings, service.url, client)
    return PrefectServer(ui_url=service.url, password_file=password_file, warning=warning)


def ensure_gateway(settings: Settings, endpoint: str, *, engine: str = "") -> Service | None:
    """Start or reuse the gateway at a loopback endpoint; return None for one elsewhere.

    Args:
        settings: Of this machine.
        endpoint: Its address.
        engine: What is to run the nets; empty: as the environment says.
    """
    parts = urlsplit(endpoint)
    if parts.hostname not in LOOPBACK:
        return None
    folder = _folder(settings)
    port = parts.port or 80
    name = f"gateway-{port}"
    with _locked(settings):
        _refuse_port_of_others(settings, port, find_service(folder, name))
        try:
            return ensure_service(
                folder,
                name,
                module=["serving"],
                url=endpoint,
                environment={
                    **_our_environment(settings),
                    # One service for both spellings of an address.
                    "OCRLINE_HOST": "::1" if parts.hostname == "::1" else "127.0.0.1",
                    "OCRLINE_PORT": str(port),
                    **({"OCRLINE_ENGINE": engine} if engine else {}),
                },
                is_up=partial(_is_our_gateway_up, folder, name, endpoint, port),
            )
        except ServiceFailed:
            # Another home's gateway may have taken the port while ours was starting.
            _refuse_port_of_others(settings, port, find_service(folder, name))
            raise


def _refuse_port_of_others(settings: Settings, port: int, ours: Service | None) -> None:
    """Let nobody end what serves another store or belongs to another home."""
    if ours is None and pick_port(port) == port:
        return
    owner = find_owner(ours.pid) if ours else None
    if ours and not (owner and _is_of_other_store(owner, settings)):
        return
    taken = f"a gateway, {owner}" if owner else describe_listener(port)
    raise ServiceFailed(
        f"Port {port} is taken by {taken}; the store of this run is {settings.store}. "
        "It is left as it is: choose another port, "
        "--set deployment.endpoint=http://127.0.0.1:PORT, or stop it first"
    )


def _is_of_other_store(owner: Owner, settings: Settings) -> bool:
    return not owner.has_store(settings.store, s3_endpoint=settings.s3_endpoint)


def _is_our_gateway_up(folder: Path, name: str, endpoint: str, port: int) -> bool:
    # Another home's gateway answers as well while ours has not yet found the port taken.
    ours = find_service(folder, name)
    return bool(ours and is_listening(ours.pid, port) and answers(f"{endpoint}/health/live"))


def remember_endpoint(settings: Settings, endpoint: str, *, engine: str = "") -> None:
    """Keep the address, and the engine, of the gateway that the worker starts with itself.

    A worker that works with another store keeps the one it has.
    """
    with _locked(settings):
        if _find_worker_of_other_store(settings) is None:
            (_folder(settings) / ENDPOINT).write_text(f"{endpoint} {engine}", encoding="utf-8")


def ensure_remembered_gateway(settings: Settings) -> Service | None:
    """Start or reuse the gateway at the address remembered last; return None without one."""
    path = _folder(settings) / ENDPOINT
    if not path.exists():
        return None
    endpoint, _, engine = path.read_text(encoding="utf-8").partition(" ")
    return ensure_gateway(settings, endpoint, engine=engine)


def stop_services(settings: Settings) -> list[str]:
    """Stop what was started here; return the names of what was running."""
    folder = _folder(settings)
    with _locked(settings):
        gateways = sorted(path.stem for path in folder.glob("gateway*.json"))
        return [name for name in ("worker", *gateways, "prefect") if stop_service(folder, name)]


def _ensure_server(settings: Settings, password: str) -> Service:
    folder = _folder(settings)
    known, memory = find_service(folder, "prefect"), read_memory(folder)
    url = known.url if known else _loopback(pick_port(memory.port or PREFECT_PORT))
    try:
        service = _start_server(settings, url, password)
    except ServiceFailed:
        if known:
            raise
        # Another home's services may have taken the port while ours was starting.
        service = _start_server(settings, _loopback(pick_port(0)), password)
    write_memory(folder, replace(memory, port=urlsplit(service.url).port or 0))
    return service


def _loopback(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _start_server(settings: Settings, url: str, password: str) -> Service:
    return ensure_service(
        _folder(settings),
        "prefect",
        module=["prefect", "server", "start", "--host", "127.0.0.1"],
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
            "DO_NOT_TRACK": "1",
        },
        # Not /api/health, which the server of another home answers as well.
        is_up=partial(answers, f"{url}/api/admin/version", password=password),
    )


def _warn_of_worker(settings: Settings) -> str:
    folder = _folder(settings)
    if other := _find_worker_of_other_store(settings):
        return f"what runs the UI's jobs works with the store {other.store} and is left so"
    remembered = (folder / "worker.json").exists()
    if not remembered or find_service(folder, "worker") is not None:
        return ""
    return f"what runs the UI's jobs had ended and is started again; see {folder / 'worker.log'}"


def _find_worker_of_other_store(settings: Settings) -> Owner | None:
    worker = find_service(_folder(settings), "worker")
    owner = find_owner(worker.pid) if worker else None
    return owner if owner and _is_of_other_store(owner, settings) else None


def _ensure_worker(settings: Settings, url: str, client: dict[str, str]) -> None:
    worker = find_service(_folder(settings), "worker")
    if worker and worker.url == url and _find_worker_of_other_store(settings):
        return  # to replace it would end the jobs that it runs
    ensure_service(
        _folder(settings),
        "worker",
        module=["deploy.worker"],
        url=url,
        environment={**_our_environment(settings), **client},
        # It needs seconds until it listens, which a run of the terminal has no use for.
        is_up=partial(_has_worker_begun, _folder(settings)),
    )


def _has_worker_begun(folder: Path) -> bool:
    """Say whether it can be told whose it is, which it cannot while it is being executed."""
    worker = find_service(folder, "worker")
    return bool(worker and find_owner(worker.pid))


def _prefect_client(url: str, password: str, settings: Settings) -> dict[str, str]:
    return {
        "PREFECT_API_URL": f"{url}/api",
        "PREFECT_API_AUTH_STRING": password,
        "PREFECT_HOME": str(settings.home / "prefect"),
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(HEARTBEAT_S),
        "PREFECT_WORKER_QUERY_SECONDS": str(LOOK_S),
        "DO_NOT_TRACK": "1",
    }


def _our_environment(settings: Settings) -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if k.startswith(("OCRLINE_", "MINIO_"))}
    # Where `ocrline serve` listens is not where these do.
    kept = {k: v for k, v in ours.items() if k not in ("OCRLINE_HOST", "OCRLINE_PORT")}
    return {**kept, "OCRLINE_HOME": str(settings.home), "OCRLINE_STORE": settings.store}


def _folder(settings: Settings) -> Path:
    return settings.home / "services"


def _locked(settings: Settings) -> FileLock:
    check_home(settings.home)
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark_home(settings.home)
    _folder(settings).mkdir(exist_ok=True)
    return FileLock(_folder(settings) / "lock", timeout=180)


def answers(url: str, *, password: str = "") -> bool:
    """Return whether a GET of the address, never through a proxy, is answered with 200.

    Args:
        url: The address.
        password: ``user:password`` of basic authentication, empty for none.
    """
    user, _, secret = password.partition(":")
    auth = (user, secret) if password else None
    try:
        reply = httpx.get(url, auth=auth, timeout=2, trust_env=False)
    except httpx.TransportError:
        return False
    return reply.status_code == httpx.codes.OK
