"""A gateway with its default settings, for as long as it is measured."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.background import pick_port, start_service, stop_service


@contextmanager
def running_gateway(home: Path, *, store: str, models: str, engine: str) -> Iterator[int]:
    """Start it, and yield its port once it is ready."""
    port = pick_port(0)
    start_service(
        home,
        "gateway",
        module=["serving"],
        url=f"http://127.0.0.1:{port}",
        environment={
            "OCRLINE_HOME": str(home),
            "OCRLINE_STORE": store,
            "OCRLINE_PORT": str(port),
            "OCRLINE_ENGINE": engine,
            "OCRLINE_MODELS": models,
            "OCRLINE_TOKEN": "",
        },
        is_up=lambda: _is_ready(port),
    )
    try:
        yield port
    finally:
        stop_service(home, "gateway")


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()
