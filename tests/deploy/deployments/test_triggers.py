"""What an event starts, on a real Prefect server: once, and only where it is waited for."""

import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentUpdate
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterId
from prefect.client.schemas.objects import FlowRun

from cli.main import run
from deploy.deployments.server import read_stored
from tasks.starting.events import NEW_DATA, raise_event
from tests.deploy.deployments.conftest import SLOW_S, write_project

pytestmark = pytest.mark.usefixtures("own_home")
Out = pytest.CaptureFixture[str]


@pytest.fixture
def client(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SyncPrefectClient]:
    monkeypatch.setenv("PREFECT_API_URL", server)
    with get_client(sync_client=True) as client:
        yield client


def runs_of(client: SyncPrefectClient, name: str) -> list[FlowRun]:
    """Return the runs that no schedule made."""
    deployment = read_stored(client)[name].deployment.id
    wanted = DeploymentFilter(id=DeploymentFilterId(any_=[deployment]))
    return [
        each for each in client.read_flow_runs(deployment_filter=wanted) if not each.auto_scheduled
    ]


def wait_for_runs(client: SyncPrefectClient, name: str, count: int) -> list[FlowRun]:
    until = time.monotonic() + SLOW_S
    while len(runs_of(client, name)) < count and time.monotonic() < until:
        time.sleep(0.5)
    return runs_of(client, name)


def test_events_of_a_model_start_its_retraining_and_the_same_event_no_second_one(
    client: SyncPrefectClient, tmp_path: Path, capsys: Out, server: str
) -> None:
    file = write_project(tmp_path / "a.yaml", "  new_samples: 50", name="watched")
    other = write_project(tmp_path / "b.yaml", name="other")
    run(["deployments", "apply", str(file), str(other), "--yes"])
    identity = uuid4()
    said: dict[str, str | float] = {"new": 60, "rows": 100, "dataset": "d"}
    capsys.readouterr()

    raise_event(NEW_DATA, "watched", said, identity=identity)
    first = wait_for_runs(client, "retrain-lines/watched", 1)
    raise_event(NEW_DATA, "watched", said, identity=identity)
    raise_event(NEW_DATA, "other", said)  # waits for drift alone
    code = run(["deployments", "drift", "watched", "--reason", "hmean fell to 0.81"])
    with_curl = {  # as the guide says
        "event": "ocrline.drift",
        "id": str(uuid4()),
        "occurred": "2026-11-24T12:00:00+00:00",
        "resource": {"prefect.resource.id": "ocrline.model.other"},
        "payload": {"reason": "a monitor said so"},
    }
    httpx.post(f"{server}/events", json=[with_curl], trust_env=False, timeout=60).raise_for_status()
    started = wait_for_runs(client, "retrain-lines/watched", 2)
    by_curl = wait_for_runs(client, "retrain-lines/other", 1)

    assert len(first) == 1
    assert code == 0
    assert "raised ocrline.drift for watched; it starts retrain-lines/watched" in (
        capsys.readouterr().out
    )
    assert len(started) == 2
    assert len(by_curl) == 1
    assert started[0].created_by is not None
    assert started[0].created_by.display_value == "start retrain-lines/watched"
    assert "watch-lines/watched" in read_stored(client)


@pytest.mark.parametrize("model", ["nobody", "ocrline"])  # every deployment of ours has the tag
def test_drift_that_nothing_waits_for_is_refused(
    model: str, client: SyncPrefectClient, tmp_path: Path, capsys: Out
) -> None:
    run(["deployments", "apply", str(write_project(tmp_path / "a.yaml")), "--yes"])

    code = run(["deployments", "drift", model, "--reason", "x"])

    assert code == 2
    assert f"nothing waits for ocrline.drift of '{model}'" in capsys.readouterr().err


def test_drift_starts_what_a_person_paused_until_its_automation_is_off_which_is_said(
    client: SyncPrefectClient, tmp_path: Path, capsys: Out
) -> None:
    run(["deployments", "apply", str(write_project(tmp_path / "a.yaml", name="held")), "--yes"])
    found = read_stored(client)["retrain-lines/held"]
    client.update_deployment(found.deployment.id, DeploymentUpdate(paused=True))
    drift = ["deployments", "drift", "held", "--reason", "x"]

    paused = run(drift)
    started = wait_for_runs(client, "retrain-lines/held", 1)
    client.pause_automation(found.automations[0].id)
    capsys.readouterr()
    off = run(drift)

    said = capsys.readouterr().err
    assert (paused, len(started), off) == (0, 1, 2)
    assert "of 'held' by events was switched off by a person: switch" in said
    assert "'start retrain-lines/held' on again in the Prefect UI, under Automations" in said


def test_drift_of_a_project_that_is_gone_is_refused(
    client: SyncPrefectClient, tmp_path: Path, capsys: Out
) -> None:
    file = write_project(tmp_path / "a.yaml", name="gone")
    run(["deployments", "apply", str(file), "--yes"])
    file.unlink()
    run(["deployments", "apply", "--yes"])

    code = run(["deployments", "drift", "gone", "--reason", "x"])

    assert code == 2
    assert "nothing waits for ocrline.drift of 'gone': apply its" in capsys.readouterr().err
