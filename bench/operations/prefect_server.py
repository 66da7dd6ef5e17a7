"""A Prefect server of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType

from deploy.background import python_module, start_service, stop_service
from deploy.ports import pick_port
from deploy.web import answers

TIMEOUT_S = 300
_NONE: Mapping[str, str] = MappingProxyType({})


@contextmanager
def run(module: str, folder: str, environment: Mapping[str, str] = _NONE) -> Iterator[str]:
    """Run a server on loopback; yield its address.

    Args:
        module: Prefect's, or what stands in for it.
        folder: Where it keeps what it keeps.
        environment: Further variables.
    """
    url = f"http://127.0.0.1:{pick_port(0)}"
    start_service(
        Path(folder),
        "prefect",
        command=python_module(module, "server", "start", "--host", "127.0.0.1"),
        url=url,
        environment={
            "PREFECT_HOME": folder,
            "PREFECT_API_URL": f"{url}/api",
            "PREFECT_SERVER_API_PORT": url.rpartition(":")[2],
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
            **environment,
        },
        is_up=partial(answers, f"{url}/api/health"),
        timeout_s=TIMEOUT_S,
    )
    try:
        yield url
    finally:
        stop_service(Path(folder), "prefect")
