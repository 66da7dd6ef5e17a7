"""Prefect's servers of two homes on one machine: each at its own address, whoever starts first."""

import os
import socket
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import psutil
import pytest

from configs.settings import Settings
from deploy.background import Service, stop_service
from deploy.parts import server
from deploy.ports import pick_port
from deploy.services import ensure_server, password_file, stop_services
from deploy.web import answers
from tests.deploy.conftest import own_home_in
from tests.prefect_tables import give_tables

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Settings]]:
    """Two homes that both would like the same port."""
    monkeypatch.setattr(server, "PORT", pick_port(0))
    with own_home_in(tmp_path):
        both = [settings_of(tmp_path / name) for name in ("one", "other")]
        for settings in both:
            give_tables(settings.home / "prefect")
        yield both
        for settings in both:
            stop_services(settings)


def settings_of(home: Path) -> Settings:
    with patch.dict(os.environ, OCRLINE_HOME=str(home)):
        return Settings()


@pytest.mark.slow
def test_two_homes_that_start_at_once_keep_an_address_each(homes: list[Settings]) -> None:
    for settings in homes:  # new ones, whose servers make their tables
        (settings.home / "prefect/prefect.db").unlink()
    with ThreadPoolExecutor(2) as pool:
        first = list(pool.map(ensure_server, homes))
    for service in first:
        process = psutil.Process(service.pid)
        process.kill()
        process.wait()

    # The one that had the port comes back last: the other one does not take it meanwhile.
    order = sorted((0, 1), key=lambda index: first[index].url == f"http://127.0.0.1:{server.PORT}")
    again = {index: ensure_server(homes[index]) for index in order}

    assert len({service.url for service in first}) == 2
    for index, settings in enumerate(homes):
        assert again[index].url == first[index].url
        assert knows(again[index], settings)
        assert not knows(again[index], homes[1 - index])


def test_one_that_is_replaced_goes_elsewhere_where_its_port_is_taken_meanwhile(
    homes: list[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ensure_server(homes[0])
    with socket.socket() as other:

        def stop_and_take(*given: Any) -> bool:
            if was_there := stop_service(*given):
                other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                other.bind(("127.0.0.1", server.PORT))
                other.listen()
            return was_there

        monkeypatch.setattr("deploy.background.stop_service", stop_and_take)
        monkeypatch.setattr(server, "name_release", lambda: "another release")
        again = ensure_server(homes[0], replaces=True)

    assert again.url != first.url
    assert knows(again, homes[0])


def test_all_who_write_at_once_are_answered(homes: list[Settings]) -> None:
    service = ensure_server(homes[0])
    login = httpx.BasicAuth(*password_file(homes[0]).read_text().split(":", 1))
    with httpx.Client(base_url=f"{service.url}/api", auth=login, timeout=120) as client:
        flow = client.post("/flows/", json={"name": "plates"}).json()["id"]

        def run(number: int) -> list[int]:
            begun = {"flow_id": flow, "state": {"type": "PENDING"}}
            answers = [client.post("/flow_runs/", json=begun)]
            for key in range(5):
                of = {"flow_run_id": answers[0].json().get("id"), "task_key": "train"}
                task = {**of, "dynamic_key": f"{number}-{key}", "state": {"type": "RUNNING"}}
                answers.append(client.post("/task_runs/", json=task))
            return [answer.status_code for answer in answers]

        with ThreadPoolExecutor(8) as pool:
            codes = [code for codes in pool.map(run, range(24)) for code in codes]

    assert codes == [httpx.codes.CREATED] * len(codes)


def test_runs_that_ended_long_ago_go_with_their_logs(
    homes: list[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_SERVER_SERVICES_DB_VACUUM_LOOP_SECONDS", "1")
    service = ensure_server(homes[0])
    login = httpx.BasicAuth(*password_file(homes[0]).read_text().split(":", 1))
    with httpx.Client(base_url=f"{service.url}/api", auth=login, timeout=120) as client:
        flow = client.post("/flows/", json={"name": "watch-lines"}).json()["id"]
        states = ["COMPLETED", "COMPLETED", "FAILED", "RUNNING"]
        runs = [begin(client, flow, state) for state in states]
        said = {"level": 20, "name": "run", "message": "looked", "timestamp": "2026-01-01T00:00Z"}
        client.post("/logs/", json=[{**said, "flow_run_id": run} for run in runs])
        recent, old, old_failure, endless = runs
        let_end(homes[0], [old, old_failure], days_ago=91)

        while client.get(f"/flow_runs/{old_failure}").is_success or logs_of(client, old):
            time.sleep(0.2)

        assert not client.get(f"/flow_runs/{old}").is_success
        assert client.get(f"/flow_runs/{recent}").is_success
        assert client.get(f"/flow_runs/{endless}").is_success
        assert [logs_of(client, run) for run in (recent, endless)] == [["looked"], ["looked"]]


def begin(client: httpx.Client, flow: str, state: str) -> str:
    run: str = client.post("/flow_runs/", json={"flow_id": flow}).json()["id"]
    client.post(f"/flow_runs/{run}/set_state", json={"state": {"type": state}, "force": True})
    return run


def let_end(settings: Settings, runs: list[str], *, days_ago: int) -> None:
    with closing(sqlite3.connect(settings.home / "prefect" / "prefect.db", timeout=60)) as database:
        for run in runs:
            database.execute(
                "UPDATE flow_run SET end_time = datetime('now', ?) WHERE id = ?",
                (f"-{days_ago} days", run),
            )
        database.commit()


def logs_of(client: httpx.Client, run: str) -> list[str]:
    of_run = {"logs": {"flow_run_id": {"any_": [run]}}}
    return [log["message"] for log in client.post("/logs/filter", json=of_run).json()]


def knows(service: Service, settings: Settings) -> bool:
    password = password_file(settings).read_text()
    return answers(f"{service.url}/api/admin/version", password=password)
