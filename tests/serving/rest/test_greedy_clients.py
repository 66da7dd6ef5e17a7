import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.serve.raw_client import RawClient, post
from tests.serving.gateway import Gateway, running_gateway, wait_until
from tests.serving.rest.greedy_clients import (
    CASES,
    GOOD,
    MOST_GROWTH_MB,
    TOKEN,
    ask,
    careful_gateway,
)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with careful_gateway(tmp_path_factory.mktemp("careful")) as running:
        yield running


@pytest.mark.parametrize("case", CASES)
def test_greedy_client_gets_what_it_should(gateway: Gateway, case: str) -> None:
    attempt, expected = CASES[case]
    gateway.forget_peak()
    before_mb = gateway.peak_mb()

    got = attempt(gateway)

    assert got == expected
    assert gateway.peak_mb() < before_mb + MOST_GROWTH_MB.get(case, 40)
    assert "Traceback" not in gateway.log.read_text()
    wait_until(lambda: ask(gateway) == "200", log=gateway.log)  # and the gateway goes on


def test_connection_is_kept_unless_a_body_is_left_unread(gateway: Gateway) -> None:
    kept = post(length=len(GOOD), **TOKEN)
    with RawClient(gateway.port) as client:
        for _ in range(3):
            client.send(kept, GOOD)
            reply = client.receive()
            assert reply is not None
            assert (reply.status, reply.headers.get("connection")) == (200, None)

    for head, status in {
        post(length=100): 401,
        post(length=10**7, **TOKEN): 413,
        post(length=100, kind="text/xml", **TOKEN): 415,
        post("/v1/models", length=100, **TOKEN): 405,
    }.items():
        with RawClient(gateway.port) as client:
            client.send(head)
            reply = client.receive()
            assert reply is not None
            assert (reply.status, reply.headers["connection"]) == (status, "close")


def test_clients_that_reset_an_idle_connection_leave_no_trace(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    with running_gateway(tmp_path, store=store, OCRLINE_KEEP_ALIVE_S="1") as gateway:
        for _ in range(20):
            with RawClient(gateway.port) as client:
                client.send(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert client.receive() is not None
                client.reset()
        time.sleep(1.5)  # longer than an idle connection is kept

        assert gateway.get("/health/live").status_code == 200
        assert "Traceback" not in gateway.log.read_text()
