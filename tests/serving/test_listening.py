"""Ports that the gateway cannot have: one line says so, and nothing of it is left."""

import asyncio
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
import pytest
from fastapi import FastAPI

from configs.settings import SettingsError
from deploy.background import clean_environment
from deploy.ports import pick_port
from serving.app import _rpc, create_app
from serving.listening import check_port
from serving.metrics import ServingMetrics
from serving.settings import ServingSettings

MOST_S = 60
HERE = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])


def settings_of(home: Path, **ports: int) -> dict[str, str]:
    given = {f"OCRLINE_{name}": str(port) for name, port in ports.items()}
    return {"OCRLINE_HOME": str(home), "OCRLINE_CONCURRENCY": "1", **given}


def serve(home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a gateway that is to end by itself; whoever it leaves behind holds its output open."""
    return subprocess.run(
        [sys.executable, "-m", "serving"],
        env={**clean_environment(), **settings_of(home), **variables},
        capture_output=True,
        text=True,
        timeout=MOST_S,
    )


@pytest.mark.parametrize("variable", ["OCRLINE_PORT", "OCRLINE_RPC_PORT"])
def test_a_taken_port_is_one_line_that_names_it_and_who_has_it(
    variable: str, taken: int, tmp_path: Path
) -> None:
    ports = {"OCRLINE_PORT": str(pick_port(0)), variable: str(taken)}

    ended = serve(tmp_path, **ports)

    (line,) = ended.stderr.splitlines()
    assert ended.returncode == 5
    assert line.startswith(f"error: Port {taken} of 127.0.0.1 is taken by ")
    assert f"process {os.getpid()}" in line
    assert f"set {variable} to another port" in line


def test_an_address_that_is_not_of_this_machine_is_a_wrong_setting(tmp_path: Path) -> None:
    ended = serve(tmp_path, OCRLINE_HOST="192.0.2.1", OCRLINE_TOKEN="hush")

    (line,) = ended.stderr.splitlines()
    assert ended.returncode == 2
    assert line.startswith("error: OCRLINE_HOST='192.0.2.1', OCRLINE_PORT=8868: nobody can listen")


def test_one_port_for_both_is_a_wrong_setting(tmp_path: Path) -> None:
    port = str(pick_port(0))

    ended = serve(tmp_path, OCRLINE_PORT=port, OCRLINE_RPC_PORT=port)

    assert ended.returncode == 2
    assert ended.stderr == f"error: OCRLINE_RPC_PORT={port} is OCRLINE_PORT: name another\n"


def test_a_machine_without_ipv6_listens_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_ipv6(family: int, *kind: int) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
        return made(family, *kind)

    made, port = socket.socket, pick_port(0)
    both = [(socket.AF_INET6, 1, 6, "", ("::1", port)), (socket.AF_INET, 1, 6, "", (HERE, port))]
    monkeypatch.setattr("serving.listening.socket.getaddrinfo", lambda *_, **__: both)
    monkeypatch.setattr("serving.listening.socket.socket", no_ipv6)

    check_port("localhost", port)


@pytest.mark.parametrize("host", ["a..b", "x" * 70])
def test_a_name_that_cannot_be_is_a_wrong_setting(host: str) -> None:
    with pytest.raises(SettingsError, match="nobody can listen there"):
        check_port(host, 1)


def test_a_start_that_fails_halfway_leaves_no_process(taken: int, tmp_path: Path) -> None:
    with patch.dict(os.environ, settings_of(tmp_path, RPC_PORT=taken)):
        app, _ = create_app(ServingSettings(), ServingMetrics(), stopping=asyncio.Event())
    before = set(psutil.Process().children(recursive=True))

    said = asyncio.run(_begin(app))

    assert said == "lifespan.startup.failed"
    assert set(psutil.Process().children(recursive=True)) <= before


def speaks_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not speaks_ipv6(), reason="this machine has no ::1")
def test_rpc_clients_are_heard_at_an_ipv6_address_too(tmp_path: Path) -> None:
    port = pick_port(0)
    with patch.dict(os.environ, settings_of(tmp_path, RPC_PORT=port) | {"OCRLINE_HOST": "::1"}):
        settings = ServingSettings()
    app = FastAPI()

    async def listen() -> bool:
        async with _rpc(app, settings, asyncio.Event()):
            _, writer = await asyncio.open_connection("::1", port)
            writer.close()
            return True

    assert asyncio.run(listen())


async def _begin(app: Any) -> str:
    said: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: dict[str, str]) -> None:
        said.append(message["type"])

    with pytest.raises(OSError, match="OCRLINE_RPC_PORT"):
        await app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)
    return said[-1]
