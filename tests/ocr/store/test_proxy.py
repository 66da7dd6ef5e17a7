"""The proxy that stands for a server that vanishes holds no connection open afterwards."""

import socket

import pytest

from tests.tcp_proxy import faulty_proxy


def test_a_connection_that_begins_as_the_server_vanishes_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connect = socket.create_connection

    def vanish_first(target: tuple[str, int]) -> socket.socket:
        proxy.close()
        return connect(target)

    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        faulty_proxy(
            f"127.0.0.1:{server.getsockname()[1]}", direction="up", limit=1, fault="vanish"
        ) as proxy,
    ):
        host, _, port = proxy.endpoint.partition(":")
        monkeypatch.setattr("tests.tcp_proxy.socket.create_connection", vanish_first)
        with connect((host, int(port)), timeout=60) as client:
            said = client.recv(1)

    assert said == b""
