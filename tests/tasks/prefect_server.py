"""A Prefect server of a test's own, with its password, which can be killed and started again."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogWorker
from prefect.settings import (
    PREFECT_API_AUTH_STRING,
    PREFECT_API_URL,
    PREFECT_UI_URL,
    temporary_settings,
)

from deploy.ports import pick_port
from tests.prefect_tables import give_tables

PASSWORD = "ocrline:secret"
START_S = 240


@dataclass
class PrefectServer:
    """A server at a free port, whose database lies in a folder and has its tables."""

    folder: Path
    port: int = field(default_factory=lambda: pick_port(0))
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs."""
        return {
            "PREFECT_API_URL": f"{self.url}/api",
            "PREFECT_API_AUTH_STRING": PASSWORD,
            "PREFECT_UI_URL": self.url,
            "PREFECT_HOME": str(self.folder),
            "DO_NOT_TRACK": "1",
        }

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = (self.folder / "server.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1"],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")},
                **self.environment,
                "PREFECT_SERVER_API_PORT": str(self.port),
                "PREFECT_SERVER_API_AUTH_STRING": PASSWORD,
                "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            },
            stdout=log,
            stderr=log,
        )
        log.close()
        deadline = time.monotonic() + START_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail((self.folder / "server.log").read_text()[-2000:])
            time.sleep(0.2)

    def kill(self) -> None:
        """End it as a power cut does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        user, _, password = PASSWORD.partition(":")
        try:
            reply = httpx.get(f"{self.url}/api/admin/version", auth=(user, password), timeout=2)
        except httpx.TransportError:
            return False
        return reply.is_success


@contextmanager
def running_server(folder: Path) -> Iterator[PrefectServer]:
    """Run a server, and point what runs within at it."""
    give_tables(folder)
    server = PrefectServer(folder)
    server.start()
    settings = {
        PREFECT_API_URL: f"{server.url}/api",
        PREFECT_API_AUTH_STRING: PASSWORD,
        PREFECT_UI_URL: server.url,
    }
    try:
        with temporary_settings(settings):
            yield server
            # They would look for the server for a minute and more once it is gone.
            APILogWorker.drain_all(timeout=60)
            EventsWorker.drain_all(timeout=60)
    finally:
        server.kill()
