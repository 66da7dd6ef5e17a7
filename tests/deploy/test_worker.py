"""The worker behind the Prefect UI: a real server, a real pool, runs that the UI starts."""

import os
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from prefect.runner import Runner

from configs.presets import load_params
from configs.settings import Settings
from deploy import worker
from deploy.api import PrefectApi
from deploy.background import find_service
from deploy.services import ensure_prefect
from tests.deploy.conftest import own_home_in
from tests.prefect_tables import give_tables

pytestmark = pytest.mark.timeout(600)
PATIENCE_S = 300
FINAL = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectApi]:
    """A home with a server and a worker, started in a folder with files named as our modules."""
    folder = tmp_path_factory.mktemp("worker")
    give_tables(folder / "home" / "prefect")
    with own_home_in(folder, OCRLINE_CPU_RUNS="2"):
        server = ensure_prefect(Settings())
        assert server is not None
        api = PrefectApi(server.ui_url, server.password_file.read_text())
        named = {
            "deployments": {"name": {"any_": ["ocrline"]}},
            "flows": {"name": {"any_": ["retrain-lines"]}},
        }
        wait_until(lambda: api.post("/deployments/filter", named), "deployments")
        yield api
        api.close()


def test_the_pool_has_a_queue_for_each_kind_of_run(api: PrefectApi) -> None:
    queues = api.post("/work_pools/ocrline/queues/filter", {})

    limits = {queue["name"]: queue["concurrency_limit"] for queue in queues}
    assert limits == {"cpu": 2, "gpu": 1, "short": None, "default": None}


def test_a_run_of_the_ui_imports_our_flow_and_works_in_the_folder_of_the_worker(
    api: PrefectApi,
) -> None:
    Path("here").mkdir()
    params = load_params("smoke", overrides=["dataset.source=paddleocr", "dataset.root=here"])
    deployment = api.get("/deployments/name/retrain-lines/ocrline")

    run = api.post(
        f"/deployments/{deployment['id']}/create_flow_run",
        {"parameters": {"params": params.model_dump(mode="json"), "until": "prepare"}},
    )

    ended = wait_until(lambda: final(api, run["id"]), "the end of the run")
    assert deployment["entrypoint"] == "flows.retrain_lines.retrain_lines"
    assert ended["work_queue_name"] == "cpu"
    # It found the folder, which is named relative to where the worker was started.
    assert "here/rec_train.txt" in ended["state"]["message"]
    assert find_service(Settings().home / "services", "worker") is not None
    assert "PREFECT_API_URL" in os.environ


@pytest.mark.slow
def test_an_answer_to_a_run_whose_process_is_gone_does_not_leave_it_running(
    api: PrefectApi,
) -> None:
    deployment = api.get("/deployments/name/retrain-lines/ocrline")
    runs = {"flow_id": deployment["flow_id"], "state": {"type": "RUNNING"}}
    waits = {"type": "PAUSED", "state_details": {"pause_timeout": "2100-01-01T00:00:00Z"}}
    run = api.post("/flow_runs/", runs)["id"]
    sign_of_life = {
        "event": "prefect.flow-run.heartbeat",
        "occurred": datetime.now(UTC).isoformat(),
        "resource": {"prefect.resource.id": f"prefect.flow-run.{run}"},
        "id": str(uuid4()),
    }
    user, _, secret = os.environ["PREFECT_API_AUTH_STRING"].partition(":")
    httpx.post(
        f"{api.url}/api/events",
        json=[sign_of_life],
        auth=(user, secret),
        trust_env=False,
        timeout=60,
    ).raise_for_status()
    api.post(f"/flow_runs/{run}/set_state", {"state": waits, "force": True})

    answered = api.post(f"/flow_runs/{run}/resume", {})

    ended = wait_until(lambda: final(api, run), "the end of the run")
    assert answered["status"] == "ACCEPT"
    assert ended["state_type"] == "CRASHED"
    assert "No sign of life" in ended["state"]["message"]


def final(api: PrefectApi, run: str) -> Any:
    found = api.get(f"/flow_runs/{run}")
    return found if found["state_type"] in FINAL else None


def wait_until(ask: Any, what: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(0.5)
    return pytest.fail(f"waited in vain for {what}")


def test_no_other_user_is_met_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)

    worker.keep_to_oneself(tmp_path / "home")

    assert Path(tempfile.gettempdir()) == tmp_path / "home" / "prefect"
    assert Path(Runner()._tmp_dir).is_relative_to(tmp_path / "home")
    assert (tmp_path / "home" / "prefect").stat().st_mode & 0o777 == 0o700
