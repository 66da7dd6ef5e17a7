"""Whose process listens at an address."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.ports import pick_port
from ocr.machine.owner import find_drain_s, find_owners, name_user
from serving.settings import ServingSettings

LISTEN = """
import socket, sys
listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("listening", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def port() -> int:
    return pick_port(0)


@contextmanager
def gateway(folder: Path, address: str, port: int) -> Iterator[int]:
    """Listen as a gateway does, as far as its command line goes; returns its process."""
    command = [sys.executable, "-c", LISTEN, address, str(port), "serving"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=folder) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


@pytest.mark.parametrize(
    ("address", "is_there"), [("127.0.0.1", True), ("0.0.0.0", True), ("127.0.0.2", False)]
)
def test_who_listens_at_this_very_address_or_at_all_is_there(
    address: str, is_there: bool, port: int, tmp_path: Path
) -> None:
    with gateway(tmp_path, address, port) as process:
        owners = find_owners(f"http://localhost:{port}")

    assert [owner.pid for owner in owners] == [process] * is_there
    assert all(owner.home == tmp_path / ".ocrline" for owner in owners)


def test_who_has_the_same_port_at_another_address_is_not_meant(port: int, tmp_path: Path) -> None:
    with gateway(tmp_path, "127.0.0.1", port) as ours, gateway(tmp_path, "127.0.0.2", port):
        owners = find_owners(f"http://127.0.0.1:{port}")

    assert [owner.pid for owner in owners] == [ours]


@pytest.mark.parametrize("given", [None, "", "60"])
def test_a_gateway_may_finish_as_long_as_it_was_told(
    given: str | None, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OCRLINE_DRAIN_S", raising=False)
    if given is not None:
        monkeypatch.setenv("OCRLINE_DRAIN_S", given)
    expected = ServingSettings().drain_s

    with gateway(tmp_path, "127.0.0.1", port) as process:
        monkeypatch.setenv("OCRLINE_DRAIN_S", "1")  # of who asks
        found = find_drain_s(process)

    assert found == expected
    assert find_drain_s(os.getpid()) == 0


def test_a_host_of_odd_bytes_is_named_in_one_line_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "caf\udce9\n\x1b[2J")

    assert name_user().endswith("@caf???[2J")
