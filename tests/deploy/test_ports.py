"""Ports of services: free ones, at which no connection begins, and the one that a service had."""

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy import background
from deploy.background import FREE_PORTS, ServiceFailed, find_address, pick_port


def test_a_taken_port_is_not_picked() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])

        assert pick_port(port) in FREE_PORTS


def test_a_service_that_comes_back_waits_for_its_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    had = pick_port(0)
    with socket.create_server(("127.0.0.1", had)) as dying:

        def look(seconds: float) -> None:
            looks.append(seconds)
            if len(looks) == 3:
                dying.close()

        monkeypatch.setattr("deploy.background.time.sleep", look)

        again = find_address(tmp_path, "web", had=had, preferred=9)

    assert (again, len(looks)) == (f"http://127.0.0.1:{had}", 3)


def test_a_service_whose_port_is_kept_by_another_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "LET_GO_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = int(other.getsockname()[1])

        for had in (taken, 0):
            address = find_address(tmp_path, "web", had=had, preferred=taken)
            assert urlsplit(address).port in FREE_PORTS


def test_no_connection_begins_at_a_picked_port(monkeypatch: pytest.MonkeyPatch) -> None:
    first = pick_port(0)
    monkeypatch.setattr(background, "FREE_PORTS", range(first, first + 2))

    assert first in FREE_PORTS
    with socket.create_server(("127.0.0.1", first)):
        assert {pick_port(0) for _ in range(9)} == {first + 1}
        with (
            socket.create_server(("127.0.0.1", first + 1)),
            pytest.raises(ServiceFailed, match="No free port"),
        ):
            pick_port(first)
