"""Background services: started once, remembered, stopped by id with their children."""

from pathlib import Path

import psutil
import pytest

from deploy.background import (
    Service,
    ServiceFailed,
    clean_environment,
    find_service,
    pick_port,
    start_service,
    stop_service,
)
from deploy.services import answers


def start_web(folder: Path) -> Service:
    port = pick_port(0)
    url = f"http://127.0.0.1:{port}"
    return start_service(
        folder,
        "web",
        module=["http.server", str(port), "--bind", "127.0.0.1", "--directory", str(folder)],
        url=url,
        environment={},
        is_up=lambda: answers(url),
    )


def test_a_started_service_answers_is_found_again_and_stops(tmp_path: Path) -> None:
    service = start_web(tmp_path)

    found = find_service(tmp_path, "web")
    stopped = stop_service(tmp_path, "web")

    assert found == service
    assert stopped
    assert not psutil.pid_exists(service.pid) or _is_zombie(service.pid)
    assert find_service(tmp_path, "web") is None


def test_stopping_what_never_ran_does_nothing(tmp_path: Path) -> None:
    assert not stop_service(tmp_path, "web")


def test_a_later_process_of_the_same_id_is_not_taken_for_the_service(tmp_path: Path) -> None:
    service = start_web(tmp_path)
    memory = tmp_path / "web.json"
    kept = memory.read_text()
    memory.write_text(kept.replace(str(service.started), str(service.started - 60)))

    found = find_service(tmp_path, "web")

    memory.write_text(kept)
    stop_service(tmp_path, "web")
    assert found is None


def test_a_service_that_dies_quotes_its_log(tmp_path: Path) -> None:
    with pytest.raises(ServiceFailed, match="No module named nothing_of_the_kind"):
        start_service(
            tmp_path,
            "broken",
            module=["nothing_of_the_kind"],
            url="http://127.0.0.1:1",
            environment={},
            is_up=lambda: False,
        )


def test_a_taken_port_is_not_picked() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])

        assert pick_port(port) != port


def test_children_cache_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    assert "PYTHONDONTWRITEBYTECODE" not in clean_environment()


def _is_zombie(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
