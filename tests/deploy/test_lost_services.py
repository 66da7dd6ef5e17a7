"""Services that end by themselves just as somebody looks after them."""

from pathlib import Path

import psutil
import pytest

from deploy.background import Service, stop_service
from tests.deploy.test_background import start_web


@pytest.fixture
def lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    """One that is found and has ended before the next look at it."""
    service = start_web(tmp_path)
    process = psutil.Process(service.pid)
    process.kill()
    process.wait()
    monkeypatch.setattr("deploy.background.find_service", lambda *_: service)
    return service


def test_a_service_that_ends_before_it_is_stopped_is_no_error(
    lost: Service, tmp_path: Path
) -> None:
    stop_service(tmp_path, "web")

    assert not (tmp_path / "web.json").exists()


def test_a_service_that_ends_before_it_is_waited_for_is_replaced(
    lost: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = start_web(tmp_path)

    monkeypatch.undo()
    stop_service(tmp_path, "web")
    assert other.pid != lost.pid
