"""The automations that tell of what no process is left to tell, in a real Prefect server."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, State
from prefect.events import emit_event
from prefect.events.filters import EventFilter, EventNameFilter, EventResourceFilter
from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, temporary_settings
from prefect.states import Crashed, Running

from configs.settings import Settings
from deploy.automations.notices import ensure_told
from deploy.services import ensure_server, password_file, stop_services
from flows.notify import notify
from tasks.notifying.remote import tell_remotely
from tests.deploy.conftest import own_home_in
from tests.prefect_tables import give_tables
from tests.tasks.notifying.sinks import http_sink
from tests.tasks.prefect_server import running_server

pytestmark = pytest.mark.timeout(600)


@flow(name="retrain-lines")
def retrain(params: dict[str, str]) -> None:
    """Stand in for a retraining that ends without a word."""


async def prepare() -> tuple[UUID, int]:
    """Register `notify`, and its automations twice; return its id and how many there are."""
    async with get_client() as client:
        flow_id = await client.create_flow(notify)
        deployment = await client.create_deployment(
            flow_id, "ocrline", parameter_openapi_schema=notify.parameters.model_dump()
        )
        for _ in range(2):
            await ensure_told(client)
        return deployment, len(await client.read_automations())


async def begin() -> UUID:
    async with get_client() as client:
        run = await client.create_flow_run(retrain, parameters={"params": {"name": "plates"}})
        state: State[None] = Running()
        await client.set_flow_run_state(run.id, state, force=True)
        return run.id


async def end(run: UUID) -> None:
    async with get_client() as client:
        state: State[None] = Crashed(message="process ended with exit code -9")
        await client.set_flow_run_state(run, state, force=True)


async def find_runs(deployment: UUID) -> list[FlowRun]:
    async with get_client() as client:
        runs = await client.read_flow_runs()
    return [run for run in runs if run.deployment_id == deployment]


@pytest.mark.slow
def test_a_crash_is_told_at_once_after_a_restart_of_the_server(tmp_path: Path) -> None:
    give_tables(tmp_path / "home" / "prefect")
    with own_home_in(tmp_path), pointed_at_own_server():
        deployment, _ = asyncio.run(prepare())
        running = asyncio.run(begin())
        while not asyncio.run(has_event("prefect.flow-run.Running", running)):
            time.sleep(0.5)
        stop_services(Settings())
        ensure_server(Settings())
        time.sleep(3)  # the server reads its automations

        asyncio.run(end(running))

        while not (told := asyncio.run(find_runs(deployment))):
            time.sleep(1)
        assert told[0].parameters["params"]["run"] == str(running)


@contextmanager
def pointed_at_own_server() -> Iterator[None]:
    api = f"{ensure_server(Settings()).url}/api"
    password = password_file(Settings()).read_text()
    with temporary_settings({PREFECT_API_URL: api, PREFECT_API_AUTH_STRING: password}):
        yield


async def has_event(name: str, run: UUID) -> bool:
    async with get_client() as client:
        wanted = EventFilter(
            event=EventNameFilter(name=[name]),
            resource=EventResourceFilter(id=[f"prefect.flow-run.{run}"]),
        )
        return bool((await client.read_events(wanted, limit=1)).events)


def test_a_crash_and_a_drift_start_the_flow_that_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_server(tmp_path / "prefect"):
        deployment, automations = asyncio.run(prepare())
        time.sleep(3)  # the server reads new automations
        crashed = asyncio.run(begin())
        asyncio.run(end(crashed))
        emit_event(
            event="ocrline.drift",
            resource={
                "prefect.resource.id": "ocrline.model.meters",
                "prefect.resource.name": "meters",
            },
            payload={"shift": 0.3},
        )
        deadline = time.monotonic() + 120
        while len(runs := asyncio.run(find_runs(deployment))) < 2 and time.monotonic() < deadline:
            time.sleep(1)
        given = {run.parameters["params"]["kind"]: run.parameters["params"] for run in runs}

    assert automations == 2
    assert given["crash"]["model"] == "plates"
    assert given["crash"]["run"] == str(crashed)
    assert given["crash"]["why"] == "retrain-lines: process ended with exit code -9"
    assert given["drift"]["model"] == "meters"
    assert "shift: 0.3" in given["drift"]["why"]
    told = tell(tmp_path, monkeypatch, [cast(dict[str, Any], each) for each in given.values()])
    assert sorted(told) == ["ocrline: Crashed: plates", "ocrline: Drift: meters"]


def tell(home: Path, monkeypatch: pytest.MonkeyPatch, given: list[dict[str, Any]]) -> list[str]:
    """Run what the flow runs, twice each; return the titles that arrived."""
    from configs.people.notifications import NotifyParams

    monkeypatch.setenv("OCRLINE_HOME", str(home))
    with http_sink() as sink:
        path = home / "notifications.yaml"
        path.write_text(json.dumps({"targets": [{"url": f"json://{sink.address}/"}]}))
        path.chmod(0o600)
        for each in given * 2:
            assert tell_remotely(NotifyParams(**each)) == []
    return [message["title"] for message in sink.arrived]
