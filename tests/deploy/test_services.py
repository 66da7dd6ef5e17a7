"""The services of one machine: real gateways and a real Prefect server, reused and replaced."""

import base64
import os
import shutil
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import psutil
import pytest

from cli.main import run
from configs.settings import Settings
from deploy.background import ServiceFailed, find_service
from deploy.deployments.memory import remember
from deploy.memory import StackMemory, read_memory, write_memory
from deploy.ports import pick_port
from deploy.services import (
    ensure_gateway,
    ensure_prefect,
    remember_endpoint,
    services_folder,
    stop_services,
)
from deploy.web import answers
from deploy.worker import start_gateway

pytestmark = pytest.mark.usefixtures("own_home")


def local_endpoint() -> str:
    return f"http://127.0.0.1:{pick_port(0)}"


def settings_with(**environment: str) -> Settings:
    os.environ.update(environment)
    return Settings()


def test_gateways_of_two_endpoints_run_side_by_side_and_stop_together(tmp_path: Path) -> None:
    settings, endpoints = Settings(), [local_endpoint(), local_endpoint()]

    started = [ensure_gateway(settings, endpoint) for endpoint in endpoints]
    again = [ensure_gateway(settings, endpoint) for endpoint in endpoints]
    both_up = all(answers(f"{endpoint}/health/live") for endpoint in endpoints)
    stopped = stop_services(settings)

    assert again == started
    assert both_up
    assert sorted(stopped) == sorted(s.name for s in started if s)
    assert not any(answers(f"{endpoint}/health/live") for endpoint in endpoints)
    assert settings.home.stat().st_mode & 0o777 == 0o700


def test_where_serve_listens_does_not_replace_a_gateway() -> None:
    endpoint = local_endpoint()
    first = ensure_gateway(Settings(), endpoint)

    again = ensure_gateway(settings_with(OCRLINE_PORT="9", OCRLINE_HOST="0.0.0.0"), endpoint)

    assert again == first


def test_a_port_of_another_program_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(ServiceFailed, match=f"Port {port} is taken"):
            ensure_gateway(Settings(), f"http://127.0.0.1:{port}")


def test_an_endpoint_elsewhere_is_left_to_others() -> None:
    assert ensure_gateway(Settings(), "http://192.0.2.1:8868") is None


def test_the_worker_starts_the_gateway_remembered_last() -> None:
    endpoint = local_endpoint()
    remember_endpoint(Settings(), local_endpoint())
    remember_endpoint(Settings(), endpoint)

    start_gateway()

    assert answers(f"{endpoint}/health/live")
    assert len(stop_services(Settings())) == 1


def test_the_worker_goes_on_without_a_gateway(capsys: pytest.CaptureFixture[str]) -> None:
    start_gateway()
    silent = capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        remember_endpoint(Settings(), f"http://127.0.0.1:{taken.getsockname()[1]}")

        start_gateway()

    assert silent == ""
    assert "is taken by another program" in capsys.readouterr().err


def test_a_running_stack_keeps_its_store(capsys: pytest.CaptureFixture[str]) -> None:
    settings, endpoint = Settings(), local_endpoint()
    service = ensure_gateway(settings, endpoint)

    code = run(["up", "--minio"])

    folder = settings.home / "services"
    assert service is not None
    assert (code, read_memory(folder).has_minio) == (2, False)
    assert f"({service.name}) works with the store of before; ocrline down" in one_line(capsys)
    assert find_service(folder, service.name) == service
    assert find_service(folder, "minio") is None


def test_a_copied_home_leaves_the_services_of_the_first_alone_a_moved_one_has_them() -> None:
    settings, endpoint = Settings(), local_endpoint()
    service = ensure_gateway(settings, endpoint)
    assert service is not None
    copy, moved = (settings.home.with_name(name) for name in ("copy", "moved"))
    shutil.copytree(settings.home, copy)

    stopped = stop_services(settings_with(OCRLINE_HOME=str(copy)))
    is_up = answers(f"{endpoint}/health/live")
    settings.home.rename(moved)
    (settings.home / "services").mkdir(parents=True)  # as whoever looks there does
    stopped_then = stop_services(settings_with(OCRLINE_HOME=str(moved)))

    assert (stopped, is_up) == ([], True)
    assert stopped_then == [service.name]
    assert not answers(f"{endpoint}/health/live")


def test_an_address_that_is_none_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["up", "--endpoint", "http://127.0.0.1:99999"])

    assert code == 2
    assert "'http://127.0.0.1:99999': expected http://127.0.0.1:PORT" in one_line(capsys)


def test_prefect_at_another_port_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = services_folder(Settings())
    write_memory(folder, StackMemory(port=1))
    monkeypatch.setattr("cli.stack.up._say_where", lambda _: None)
    for port in (1, 2):
        memory = StackMemory(port=port)
        monkeypatch.setattr("cli.stack.up._bring_up", lambda *_, m=memory: write_memory(folder, m))
        run(["up"])

    assert one_line(capsys).count("warning: Prefect moved: its port 1 is taken by") == 1


def test_a_project_that_was_refused_is_named_at_each_start_and_by_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("cli.stack.up._bring_up", lambda *_: None)
    remember(Settings().home, {}, ["shy.yaml: operation.new_samples: False\nis not allowed"])
    said = (
        "warning: refused, its deployments stay as they are: shy.yaml: operation.new_samples: False"
        " is not allowed; mend it, then: ocrline deployments apply"
    )

    run(["up"])
    at_start = one_line(capsys)
    run(["status"])

    assert said in at_start
    assert said in one_line(capsys)


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("prefect_tables")
def test_a_dead_worker_is_noticed_and_replaced() -> None:
    folder = Settings().home / "services"
    ensure_prefect(Settings(), with_worker=False)
    assert find_service(folder, "worker") is None  # who only asks lets nothing begin
    first = _ensure_prefect_anew()
    worker = find_service(folder, "worker")
    assert worker is not None
    process = psutil.Process(worker.pid)
    process.kill()
    process.wait()

    again = _ensure_prefect_anew()

    other = find_service(folder, "worker")
    assert first == ""
    assert str(folder / "worker.log") in again
    assert other is not None
    assert other.pid != worker.pid
    assert os.environ["NO_PROXY"] == os.environ["no_proxy"]
    assert "127.0.0.1" in os.environ["NO_PROXY"]


@pytest.mark.usefixtures("prefect_tables")
def test_a_server_that_died_comes_back_where_its_runs_ask_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Not 4200, which the tests beside this one take while its server is away.
    monkeypatch.setattr("deploy.parts.server.PORT", pick_port(0))
    _ensure_prefect_anew()
    folder = Settings().home / "services"
    server = find_service(folder, "prefect")
    assert server is not None
    process = psutil.Process(server.pid)
    process.kill()
    process.wait()
    monkeypatch.setattr("deploy.parts.server.PORT", pick_port(0))  # the first is free again

    _ensure_prefect_anew()

    again = find_service(folder, "prefect")
    assert again is not None
    assert again.pid != server.pid
    assert again.url == server.url


def _ensure_prefect_anew() -> str:
    os.environ.pop("PREFECT_API_URL", None)
    server = ensure_prefect(Settings())
    assert server is not None
    return server.warning


class Guarded(BaseHTTPRequestHandler):
    """Answers whoever knows the password ``ours``."""

    def do_GET(self) -> None:
        ours = "Basic " + base64.b64encode(b"ocrline:ours").decode()
        self.send_response(200 if self.headers.get("authorization") == ours else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


@pytest.mark.usefixtures("prefect_tables")
def test_a_trial_run_with_another_store_leaves_what_runs_the_jobs_of_the_ui(tmp_path: Path) -> None:
    _ensure_prefect_anew()
    folder, endpoint = Settings().home / "services", local_endpoint()
    remember_endpoint(Settings(), endpoint)
    worker, store = find_service(folder, "worker"), Settings().store
    settings_with(OCRLINE_STORE=str(tmp_path / "trial"))

    remember_endpoint(Settings(), local_endpoint())
    warning = _ensure_prefect_anew()

    assert find_service(folder, "worker") == worker
    assert store in warning
    assert (folder / "endpoint").read_text().split() == [endpoint]


def test_the_server_of_another_home_on_our_port_is_not_taken_for_ours() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as server:
        Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}/api/admin/version"

        ours = answers(url, password="ocrline:ours")
        theirs = answers(url, password="ocrline:other")
        server.shutdown()

    assert ours
    assert not theirs
