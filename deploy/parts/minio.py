"""A MinIO server under the home: the store of the stack, on loopback, behind keys of its own."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from deploy.background import Service, ServiceFailed, ensure_service, find_service
from deploy.memory import read_memory, write_memory
from deploy.password import read_or_make_password
from deploy.ports import becomes_free, find_address, is_free, is_up_at, pick_port
from ocr.machine.owner import describe_listener

NAME = "minio"
PORT = 9000
STORE = "s3://ocrline"
INSTALL = "go install github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"


def ensure_minio(home: Path, folder: Path, *, moves: bool) -> Service:
    """Start or reuse the server on `home/minio`, where it was, and remember it as the store.

    Args:
        home: Of the stack.
        folder: Where services are remembered.
        moves: Whether it goes to another port where its own stays taken. What works with the store
            already would not follow.

    Raises:
        ServiceFailed: There is no MinIO, it did not come up, or its port is another's.
    """
    memory, known = read_memory(folder), find_service(folder, NAME)
    program = find_minio()
    if not program:
        raise ServiceFailed(f"no minio on PATH nor in go's bin folder; with Go: {INSTALL}")
    had = memory.minio_port
    if known or moves:
        url = find_address(folder, NAME, had=had, preferred=PORT)
    elif becomes_free(had):
        url = f"http://127.0.0.1:{had}"
    else:
        raise ServiceFailed(
            f"Port {had} of the store is taken by {describe_listener(had)}; stop that, "
            "or move the store: ocrline down, then ocrline up --minio"
        )
    try:
        service = _start(home, folder, program, url)
    except ServiceFailed:
        if known or not moves or is_free(urlsplit(url).port or 0):
            raise
        # Another home's services may have taken the port while ours was starting.
        service = _start(home, folder, program, f"http://127.0.0.1:{pick_port(0)}")
    port = urlsplit(service.url).port or 0
    write_memory(folder, replace(memory, minio_port=port, has_minio=True))
    return service


def _start(home: Path, folder: Path, program: str, url: str) -> Service:
    port = urlsplit(url).port or 0
    user, _, secret = read_or_make_password(folder / "minio-password").partition(":")
    return ensure_service(
        folder,
        NAME,
        command=[
            program,
            "server",
            str(home / "minio"),
            "--quiet",
            "--address",
            f"127.0.0.1:{port}",
            "--console-address",
            f"127.0.0.1:{pick_port(0)}",
        ],
        url=url,
        environment={
            "MINIO_ROOT_USER": user,
            "MINIO_ROOT_PASSWORD": secret,
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
        },
        is_up=partial(is_up_at, folder, NAME, f"{url}/minio/health/live"),
    )


def forget_minio(folder: Path) -> None:
    """Let the store be a folder again; what MinIO holds stays where it is."""
    write_memory(folder, replace(read_memory(folder), has_minio=False))


def store_variables(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that make MinIO the store, if it is and nobody names another one."""
    memory = read_memory(folder)
    if not memory.has_minio or "OCRLINE_STORE" in environment:
        return {}
    user, _, secret = read_or_make_password(folder / "minio-password").partition(":")
    return {
        "OCRLINE_STORE": STORE,
        "MINIO_ENDPOINT": f"127.0.0.1:{memory.minio_port}",
        "MINIO_ACCESS_KEY": user,
        "MINIO_SECRET_KEY": secret,
        "MINIO_SECURE": "false",
    }


def is_store(folder: Path, *, store: str, endpoint: str) -> bool:
    """Say whether a store is the one of the MinIO server that was started here."""
    memory = read_memory(folder)
    ours = memory.has_minio and endpoint == f"127.0.0.1:{memory.minio_port}"
    return ours and store == STORE


def find_minio() -> str:
    """Find the server's binary on PATH, or where `go install` puts it; empty: there is none."""
    found = shutil.which("minio")
    if found:
        return found
    go = shutil.which("go")
    if go:
        asked = subprocess.run([go, "env", "GOPATH"], capture_output=True, text=True, check=False)
        path = Path(asked.stdout.strip())
    else:
        path = Path(os.environ.get("GOPATH", str(Path.home() / "go")))
    return shutil.which(path / "bin" / "minio") or ""
