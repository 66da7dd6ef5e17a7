"""Ports of services: free ones, at which no connection begins, and the one that a service had."""

import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import psutil
import pytest

from deploy import ports
from deploy.background import ServiceFailed, start_service, stop_service
from deploy.ports import FREE_PORTS, find_address, is_up_at, pick_port
from deploy.web import answers
from tests.conftest import pytest_configure

SERVES_AND_SHARES = """
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
ThreadingHTTPServer.allow_reuse_port = True
ThreadingHTTPServer(("127.0.0.1", {port}), SimpleHTTPRequestHandler).serve_forever()
"""
BEGINS_WORKERS_ALL_THE_TIME = """
import os, threading, time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
server = ThreadingHTTPServer(("127.0.0.1", {port}), SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
while True:
    if not (worker := os.fork()):  # has the port, too
        time.sleep(0.02)
        os._exit(0)
    os.waitpid(worker, 0)
"""
STARTS_A_CHILD = """
import subprocess
child = subprocess.Popen(["sleep", "600"])
print(child.pid, flush=True)
child.wait()
"""


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

        monkeypatch.setattr("deploy.ports.time.sleep", look)

        again = find_address(tmp_path, "web", had=had, preferred=9)

    assert (again, len(looks)) == (f"http://127.0.0.1:{had}", 3)


def test_a_service_whose_port_is_kept_by_another_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "LET_GO_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = int(other.getsockname()[1])

        for had in (taken, 0):
            address = find_address(tmp_path, "web", had=had, preferred=taken)
            assert urlsplit(address).port in FREE_PORTS


def test_no_connection_begins_at_a_picked_port() -> None:
    assert pick_port(0) in FREE_PORTS


def test_a_port_that_is_taken_or_was_picked_for_another_service_is_not_picked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken, picked, free = pick_port(0), pick_port(0), pick_port(0)
    monkeypatch.setattr(ports, "FREE_PORTS", (taken, picked, free))
    monkeypatch.setattr(ports, "_picked", deque([picked]))

    with socket.create_server(("127.0.0.1", taken)):
        assert pick_port(taken) == free
        with pytest.raises(ServiceFailed, match="No free port"):
            pick_port(taken)
        assert pick_port(free) == free


def test_tests_that_run_beside_each_other_pick_other_ports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "3")
    ports_of = []
    for worker in range(3):
        monkeypatch.setattr(ports, "FREE_PORTS", range(7))
        monkeypatch.setenv("PYTEST_XDIST_WORKER", f"gw{worker}")
        pytest_configure()
        ports_of.append(list(ports.FREE_PORTS))

    assert ports_of == [[0, 3, 6], [1, 4], [2, 5]]


def test_who_answers_in_a_service_s_place_is_not_it(tmp_path: Path) -> None:
    with serving(SimpleHTTPRequestHandler) as url:
        start(tmp_path, "import time; time.sleep(600)", url)

        up = is_up_at(tmp_path, "web", f"{url}/")

        stop_service(tmp_path, "web")
        assert (answers(f"{url}/"), up) == (True, False)


def test_a_service_is_up_beside_who_gets_none_of_its_connections(tmp_path: Path) -> None:
    port = pick_port(0)
    url = f"http://127.0.0.1:{port}/"
    shares = SERVES_AND_SHARES.format(port=port)
    wrapper = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {shares!r}])"
    start(tmp_path, wrapper, url)  # its child listens

    with socket.socket() as everywhere:
        everywhere.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        everywhere.bind(("0.0.0.0", port))
        everywhere.listen()
        up = is_up_at(tmp_path, "web", url)

    stop_service(tmp_path, "web")
    assert up


def test_a_service_that_does_not_come_up_leaves_no_child(tmp_path: Path) -> None:
    def is_up() -> bool:  # never, but asked until there is a child to leave
        while not (tmp_path / "web.log").read_text().endswith("\n"):
            time.sleep(0.01)
        return False

    with pytest.raises(ServiceFailed, match="did not come up"):
        start_service(
            tmp_path,
            "web",
            command=[sys.executable, "-c", STARTS_A_CHILD],
            url="",
            environment={},
            is_up=is_up,
            timeout_s=0,
        )

    child = int((tmp_path / "web.log").read_text())
    assert not psutil.pid_exists(child)


def test_a_service_that_shares_its_port_is_not_up(tmp_path: Path) -> None:
    port = pick_port(0)
    url = f"http://127.0.0.1:{port}/"
    start(tmp_path, SERVES_AND_SHARES.format(port=port), url)

    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", port))
        alone = is_up_at(tmp_path, "web", url)
        other.listen()
        with pytest.raises(ServiceFailed, match=f"web shares port {port} .* {os.getpid()}"):
            is_up_at(tmp_path, "web", url)

    stop_service(tmp_path, "web")
    assert alone
    assert not is_up_at(tmp_path, "web", url)


def test_a_worker_that_begins_while_one_looks_is_the_service_s_own(tmp_path: Path) -> None:
    port = pick_port(0)
    url = f"http://127.0.0.1:{port}/"
    start(tmp_path, BEGINS_WORKERS_ALL_THE_TIME.format(port=port), url)

    up = [is_up_at(tmp_path, "web", url) for _ in range(40)]

    stop_service(tmp_path, "web")
    assert all(up)


class Endless(BaseHTTPRequestHandler):
    """Sends a byte now and then."""

    headers_sent: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        self.send_response(200)
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):  # of who went
            while True:
                self.wfile.write(b"x")
                time.sleep(0.05)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class NoGzip(Endless):
    """Says that it sends gzip."""

    headers_sent: ClassVar[dict[str, str]] = {"Content-Encoding": "gzip"}


@pytest.mark.parametrize("handler", [Endless, NoGzip])
def test_nobody_waits_for_what_follows_the_head_of_an_answer(
    handler: type[BaseHTTPRequestHandler],
) -> None:
    with serving(handler) as url:
        assert answers(url)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Answer at a port for a while."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def start(folder: Path, code: str, url: str) -> None:
    """Start a service of a few lines, and wait until it has listened where it wants to."""
    start_service(
        folder,
        "web",
        command=[sys.executable, "-c", code],
        url=url,
        environment={},
        is_up=lambda: answers(url),
    )
