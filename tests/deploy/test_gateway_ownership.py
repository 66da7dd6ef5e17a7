"""Whose gateway answers at a port: no run ends or takes for its own what another one started."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

import psutil
import pytest

from configs.settings import Settings
from deploy import keys, services
from deploy.background import Service, ServiceFailed
from deploy.keeper import find_dead
from deploy.ports import pick_port
from deploy.services import ensure_gateway, ensure_worker, services_folder, stop_services
from deploy.web import answers
from ocr.errors import StoreRefused
from ocr.machine.owner import find_owners
from ocr.store import Store
from tests.serving.gateway import running_gateway

pytestmark = pytest.mark.usefixtures("own_home")


def settings_with(**environment: str) -> Settings:
    with patch.dict(os.environ, environment):
        return Settings()


@pytest.fixture
def endpoint() -> str:
    return f"http://127.0.0.1:{pick_port(0)}"


def is_up(service: Service | None, endpoint: str) -> bool:
    assert service is not None
    return psutil.pid_exists(service.pid) and answers(f"{endpoint}/health/live")


def test_a_gateway_that_comes_back_waits_for_its_port(endpoint: str) -> None:
    first = ensure_gateway(Settings(), endpoint)
    assert first is not None
    process = psutil.Process(first.pid)
    process.kill()
    process.wait()
    with socket.create_server(("127.0.0.1", urlsplit(endpoint).port)) as dying:
        threading.Timer(1, dying.close).start()

        again = ensure_gateway(Settings(), endpoint)

    assert is_up(again, endpoint)


def test_a_trial_run_with_another_store_does_not_end_what_serves(
    endpoint: str, tmp_path: Path
) -> None:
    serving = ensure_gateway(Settings(), endpoint)
    trial = settings_with(OCRLINE_STORE=str(tmp_path / "trial"))

    with pytest.raises(ServiceFailed) as refusal:
        ensure_gateway(trial, endpoint)

    assert is_up(serving, endpoint)
    for said in (Settings().store, str(Settings().home), str(tmp_path / "trial"), "endpoint="):
        assert said in str(refusal.value)


def test_a_trial_run_with_another_home_is_told_whose_gateway_serves(
    endpoint: str, tmp_path: Path
) -> None:
    serving = ensure_gateway(Settings(), endpoint)
    trial = settings_with(OCRLINE_HOME=str(tmp_path / "trial"))

    with pytest.raises(ServiceFailed) as refusal:
        ensure_gateway(trial, endpoint)

    assert serving is not None
    assert is_up(serving, endpoint)
    for said in (Settings().store, str(Settings().home), str(serving.pid), "endpoint="):
        assert said in str(refusal.value)


@pytest.mark.parametrize("part", ["gateway", "worker"])
def test_keys_that_the_store_refuses_end_nothing_that_works_with_it(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Store) -> None:
        raise StoreRefused("refuses access key 'other'")

    settings, url = Settings(), "http://127.0.0.1:1"
    running = Service(part, os.getpid(), 0.0, url, log="")
    monkeypatch.setattr(services, "find_service", lambda *_: running)
    monkeypatch.setattr(services, "ensure_service", lambda *_, **_named: pytest.fail("replaced"))
    monkeypatch.setattr(keys, "check_store", refuse)
    ensure = ensure_gateway if part == "gateway" else ensure_worker

    with pytest.raises(StoreRefused, match="refuses access key"):
        ensure(settings, url)


def test_a_gateway_that_a_person_started_is_named_and_stays(tmp_path: Path) -> None:
    store = str(tmp_path / "theirs")
    with running_gateway(tmp_path / "by hand", store=store) as gateway:
        with pytest.raises(ServiceFailed, match=f"{tmp_path / 'by hand'}.*{store}"):
            ensure_gateway(Settings(), gateway.url)

        assert answers(f"{gateway.url}/health/live")


def test_a_gateway_that_a_person_started_for_this_home_and_store_is_used() -> None:
    settings = Settings()
    with running_gateway(settings.home, store=settings.store) as gateway:
        name = f"gateway-{gateway.port}"
        ended = Service(name, pid=1, started=-1.0, url=gateway.url, log="")
        (services_folder(settings) / f"{name}.json").write_text(json.dumps(asdict(ended)))

        found = ensure_gateway(settings, gateway.url)

        assert (found, answers(f"{gateway.url}/health/live")) == (None, True)
    assert find_dead(services_folder(settings)) == []


def test_a_gateway_by_hand_with_another_engine_is_refused_and_stays() -> None:
    settings = Settings()
    with running_gateway(settings.home, store=settings.store) as gateway:
        with pytest.raises(ServiceFailed, match="its engine paddle-serving"):
            ensure_gateway(settings, gateway.url, engine="paddle-serving")

        assert answers(f"{gateway.url}/health/live")


def test_what_only_looks_like_a_gateway_is_none(tmp_path: Path) -> None:
    port = pick_port(0)
    words = ["http.server", str(port), "--bind", "127.0.0.1", "--directory", "serving"]
    environment = {**os.environ, "OCRLINE_HOME": str(Settings().home)}
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as it:
        try:
            while not find_owners(f"http://127.0.0.1:{port}"):
                assert it.poll() is None

            with pytest.raises(ServiceFailed, match=f"Port {port} is taken"):
                ensure_gateway(Settings(), f"http://127.0.0.1:{port}")
        finally:
            it.kill()


def test_a_store_spelled_otherwise_is_no_other_store(endpoint: str, tmp_path: Path) -> None:
    ensure_gateway(settings_with(OCRLINE_STORE=str(tmp_path / "store")), endpoint)

    again = ensure_gateway(settings_with(OCRLINE_STORE=f"file://{tmp_path}/./store"), endpoint)

    assert is_up(again, endpoint)


def test_of_two_homes_that_start_a_gateway_at_once_one_is_told_of_the_other(
    endpoint: str, tmp_path: Path
) -> None:
    homes = [tmp_path / "home", tmp_path / "trial"]
    both = [settings_with(OCRLINE_HOME=str(home)) for home in homes]
    try:
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(caught(lambda s: ensure_gateway(s, endpoint)), both))

        [(winner, service)] = [(i, r) for i, r in enumerate(results) if isinstance(r, Service)]
        [refusal] = [r for r in results if isinstance(r, ServiceFailed)]
        assert is_up(service, endpoint)
        assert str(homes[winner]) in str(refusal)
    finally:
        stop_services(both[1])


def test_two_runs_of_one_home_at_once_share_one_gateway(endpoint: str) -> None:
    settings = Settings()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: ensure_gateway(settings, endpoint), range(2))

    assert first == second


def caught(
    start: Callable[[Settings], Service | None],
) -> Callable[[Settings], Service | ServiceFailed | None]:
    def call(settings: Settings) -> Service | ServiceFailed | None:
        try:
            return start(settings)
        except ServiceFailed as error:
            return error

    return call
