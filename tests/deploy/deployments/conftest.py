"""A real Prefect server for each file of tests, and projects to apply to it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.settings import PREFECT_API_URL, temporary_settings

from cli.main import run
from deploy.background import python_module, start_service, stop_service
from deploy.deployments.server import Stored, read_stored
from deploy.parts.server import PROCESS
from deploy.ports import pick_port
from deploy.web import answers
from tests.prefect_tables import give_tables

FULL, SMOKE = "retrain-lines/digits", "retrain-lines/digits-smoke"
SLOW_S = 240
"""Other programs may keep all processors busy."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run Prefect's server and point this process at it."""
    folder = tmp_path_factory.mktemp("prefect")
    give_tables(folder)
    url = f"http://127.0.0.1:{pick_port(0)}"
    start_service(
        folder,
        "prefect",
        command=python_module(PROCESS, "server", "start", "--host", "127.0.0.1"),
        url=url,
        environment={
            "PREFECT_HOME": str(folder),
            "PREFECT_SERVER_API_PORT": url.rpartition(":")[2],
            "PREFECT_API_URL": f"{url}/api",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        },
        is_up=partial(answers, f"{url}/api/health"),
        timeout_s=SLOW_S,
    )
    try:
        with temporary_settings({PREFECT_API_URL: f"{url}/api"}):
            yield f"{url}/api"
    finally:
        stop_service(folder, "prefect")


@pytest.fixture
def client(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SyncPrefectClient]:
    """The server without a deployment of ours; commands find it in the environment."""
    monkeypatch.setenv("PREFECT_API_URL", server)
    with get_client(sync_client=True) as client:
        for stored in read_stored(client).values():
            client.delete_deployment(stored.deployment.id)
            for each in stored.automations:
                client.delete_automation(each.id)
        yield client


@pytest.fixture
def project(tmp_path: Path, own_home: None) -> Path:
    """A project that is retrained every Monday."""
    return write_project(tmp_path / "digits.yaml")


def write_project(path: Path, *more: str, name: str = "digits", cron: str = "0 3 * * mon") -> Path:
    """Write a project's file; lines of more of `operation` come first."""
    operation = ["operation:", f"  cron: {cron!r}", "  timezone: Europe/Berlin"]
    project = ["extends: plates", f"name: {name}", "dataset: {root: /data/plates}"]
    path.write_text("\n".join([*project, *operation, *more]))
    return path


def apply(*projects: Path) -> int:
    """Apply projects as the command does."""
    return run(["deployments", "apply", *map(str, projects), "--yes"])


def stored(client: SyncPrefectClient, name: str) -> Stored:
    """Return a deployment of the server."""
    return read_stored(client)[name]
