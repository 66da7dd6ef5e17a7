"""The services of one machine: Prefect's server, the runner behind its UI, the OCR gateway."""

import os
import secrets
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from filelock import FileLock

from configs.settings import Settings
from deploy.background import (
    Service,
    ServiceFailed,
    find_service,
    pick_port,
    start_service,
    stop_service,
)

PREFECT_PORT = 4200
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class PrefectServer:
    """Where the Prefect UI is and which file holds its password."""

    ui_url: str
    password_file: Path


def ensure_prefect(settings: Settings) -> PrefectServer | None:
    """Start or reuse the local Prefect server and point this process at it.

    Returns None when the environment already names a server (``PREFECT_API_URL``).
    """
    if "PREFECT_API_URL" in os.environ:
        return None
    folder = settings.home / "services"
    with _locked(folder):
        password_file = folder / "prefect-password"
        password = _read_or_make_password(password_file)
        service = find_service(folder, "prefect") or _start_prefect(settings, password)
        os.environ.update(_prefect_client(service.url, password, settings))
        if find_service(folder, "runner") is None:
            start_service(
                folder,
                "runner",
                module=["deploy.runner"],
                url=service.url,
                environment=_store_environment(settings),
                is_up=lambda: True,
            )
    return PrefectServer(ui_url=service.url, password_file=password_file)


def ensure_gateway(settings: Settings, endpoint: str) -> Service | None:
    """Start or reuse the gateway at a loopback endpoint; return None for one elsewhere."""
    parts = urlsplit(endpoint)
    if parts.hostname not in LOOPBACK:
        return None
    folder = settings.home / "services"
    with _locked(folder):
        running = find_service(folder, "gateway")
        if running is not None and running.url == endpoint:
            return running
        if running is not None:
            stop_service(folder, "gateway")
        port = parts.port or 80
        if pick_port(port) != port:
            raise ServiceFailed(
                f"Port {port} is taken by another program; stop it, "
                "or choose another: --set deployment.endpoint=http://127.0.0.1:PORT"
            )
        return start_service(
            folder,
            "gateway",
            module=["serving"],
            url=endpoint,
            environment={
                **_store_environment(settings),
                "OCRLINE_HOST": str(parts.hostname),
                "OCRLINE_PORT": str(port),
            },
            is_up=partial(answers, f"{endpoint}/health/live"),
        )


def stop_services(settings: Settings) -> list[str]:
    """Stop what was started here; return the names of what was running."""
    folder = settings.home / "services"
    return [name for name in ("runner", "gateway", "prefect") if stop_service(folder, name)]


def _start_prefect(settings: Settings, password: str) -> Service:
    port = pick_port(PREFECT_PORT)
    url = f"http://127.0.0.1:{port}"
    return start_service(
        settings.home / "services",
        "prefect",
        module=["prefect", "server", "start", "--host", "127.0.0.1"],
        url=url,
        environment={
            "PREFECT_HOME": str(settings.home / "prefect"),
            # A bare --port leaves the UI calling 4200.
            "PREFECT_SERVER_API_PORT": str(port),
            "PREFECT_UI_URL": url,
            # Without it anybody on the machine reads every stored secret in plain text.
            "PREFECT_SERVER_API_AUTH_STRING": password,
            "PREFECT_API_AUTH_STRING": password,
            "PREFECT_API_URL": f"{url}/api",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
            "DO_NOT_TRACK": "1",
        },
        is_up=partial(answers, f"{url}/api/health"),
    )


def _prefect_client(url: str, password: str, settings: Settings) -> dict[str, str]:
    return {
        "PREFECT_API_URL": f"{url}/api",
        "PREFECT_API_AUTH_STRING": password,
        "PREFECT_HOME": str(settings.home / "prefect"),
        "DO_NOT_TRACK": "1",
    }


def _store_environment(settings: Settings) -> dict[str, str]:
    return {"OCRLINE_HOME": str(settings.home), "OCRLINE_STORE": settings.store}


def _read_or_make_password(path: Path) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(f"ocrline:{secrets.token_urlsafe(18)}")
    return path.read_text(encoding="utf-8")


def _locked(folder: Path) -> FileLock:
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / "lock", timeout=180)


def answers(url: str) -> bool:
    """Return whether a GET of the address is answered with 200."""
    try:
        return httpx.get(url, timeout=2).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
