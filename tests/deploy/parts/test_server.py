"""Prefect's servers of two homes on one machine: each at its own address, whoever starts first."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import httpx
import psutil
import pytest

from configs.settings import Settings
from deploy.background import Service
from deploy.parts import server
from deploy.ports import pick_port
from deploy.services import ensure_server, password_file, stop_services
from deploy.web import answers
from tests.deploy.conftest import own_home_in

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Settings]]:
    """Two homes that both would like the same port."""
    monkeypatch.setattr(server, "PORT", pick_port(0))
    with own_home_in(tmp_path):
        both = [settings_of(tmp_path / name) for name in ("one", "other")]
        yield both
        for settings in both:
            stop_services(settings)


def settings_of(home: Path) -> Settings:
    with patch.dict(os.environ, OCRLINE_HOME=str(home)):
        return Settings()


def test_two_homes_that_start_at_once_keep_an_address_each(homes: list[Settings]) -> None:
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


def knows(service: Service, settings: Settings) -> bool:
    password = password_file(settings).read_text()
    return answers(f"{service.url}/api/admin/version", password=password)
