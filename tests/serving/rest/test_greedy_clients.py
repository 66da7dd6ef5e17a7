from collections.abc import Iterator

import pytest

from tests.serving.gateway import Gateway, wait_until
from tests.serving.rest.greedy_clients import (
    CASES,
    GOOD,
    MOST_GROWTH_MB,
    TOKEN,
    ask,
    careful_gateway,
)
from tests.serving.rest.raw_client import RawClient, post


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
