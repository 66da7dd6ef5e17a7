"""A gateway with its default settings, for as long as it is measured."""

import http.client
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from deploy.background import find_service, python_module, start_service, stop_service
from deploy.ports import pick_port

NAME = "gateway"


@dataclass(frozen=True)
class Gateway:
    """A gateway of its own home.

    Attributes:
        home: Its folder.
        port: Where it listens, on loopback.
        environment: Its settings.
    """

    home: Path
    port: int
    environment: Mapping[str, str]

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> psutil.Process:
        """Its process.

        Raises:
            ProcessLookupError: It does not run.
        """
        service = find_service(self.home, NAME)
        if service is None:
            raise ProcessLookupError(f"no gateway of {self.home} runs")
        return psutil.Process(service.pid)

    def start(self) -> None:
        """Start it, and return once it is ready. Raises as `start_service`."""
        start_service(
            self.home,
            NAME,
            command=python_module("serving"),
            url=self.url,
            environment=self.environment,
            is_up=lambda: _is_ready(self.port),
        )


@contextmanager
def running_gateway(
    home: Path, *, store: str, models: str, engine: str, **variables: str
) -> Iterator[Gateway]:
    """Start one, with further settings if any, and yield it once it is ready."""
    port = pick_port(0)
    environment = {
        "OCRLINE_HOME": str(home),
        "OCRLINE_STORE": store,
        "OCRLINE_PORT": str(port),
        "OCRLINE_ENGINE": engine,
        "OCRLINE_MODELS": models,
        "OCRLINE_TOKEN": "",
        **variables,
    }
    gateway = Gateway(home, port, environment)
    gateway.start()
    try:
        yield gateway
    finally:
        stop_service(home, NAME)


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()
