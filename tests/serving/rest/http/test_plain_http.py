"""Clients that ask for another protocol, or send headers behind a body."""

import gzip
import time

import pytest

from bench.serve.raw_client import RawClient, post
from tests.serving.gateway import Gateway
from tests.serving.tiny_bundle import png

GOOD = png("2026")
LIVE = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HTTP2 = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2_Settings": "AAEAAEAA"}
"""What Java's HttpClient and ``curl --http2`` send over plain HTTP."""


def chunked(head: bytes, *, length: int) -> bytes:
    """Say that the body comes in chunks."""
    return head.replace(b"Content-Length: %d" % length, b"Transfer-Encoding: chunked")


@pytest.mark.parametrize("pause_s", [0.0, 0.1])
def test_body_of_a_client_that_asks_for_http2_is_read(gateway: Gateway, pause_s: float) -> None:
    head = post(length=len(GOOD), **HTTP2)
    with RawClient(gateway.port) as client:
        for _ in range(2):
            client.send(head, GOOD[:50]) if pause_s else client.send(head + GOOD + LIVE)
            if pause_s:
                time.sleep(pause_s)
                client.send(GOOD[50:], LIVE)
            read, live = client.receive(), client.receive()
            assert read is not None
            assert b'"2026"' in read.body
            assert live is not None
            assert live.status == 200


def test_chunks_of_a_client_that_asks_for_http2_are_read(gateway: Gateway) -> None:
    head = chunked(post(length=len(GOOD), **HTTP2), length=len(GOOD))
    with RawClient(gateway.port) as client:
        client.send(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(GOOD), GOOD) + LIVE)
        read, live = client.receive(), client.receive()

    assert read is not None
    assert b'"2026"' in read.body
    assert live is not None


@pytest.mark.parametrize("size", [0, 200_000])
@pytest.mark.parametrize("version", [b"HTTP/1.0", b"HTTP/1.1"])
def test_body_of_an_upgrade_on_a_connection_that_closes_is_read(
    gateway: Gateway, version: bytes, size: int
) -> None:
    body = GOOD + bytes(size)
    asked = HTTP2 | {"Connection": "close, Upgrade"}
    with RawClient(gateway.port) as client:
        client.send(post(length=len(body), **asked).replace(b"HTTP/1.1", version) + body)
        reply = client.receive()

        assert reply is not None
        assert b'"2026"' in reply.body
        assert client.read_to_end() == 0


def test_body_behind_an_upgrade_is_no_request(gateway: Gateway) -> None:
    inner = b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: smuggled\r\n\r\n"
    upgrade = {"Connection": "Upgrade", "Upgrade": "anything"}
    with RawClient(gateway.port) as client:
        client.send(post(length=len(inner), **upgrade))
        time.sleep(0.1)
        client.send(inner, LIVE)
        refused, live = client.receive(), client.receive()

    assert refused is not None
    assert refused.error["code"] == "bad_image"
    assert live is not None
    assert live.headers["x-request-id"] != "smuggled"


def test_request_without_a_body_may_ask_for_anything(gateway: Gateway) -> None:
    asking = LIVE.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    with RawClient(gateway.port) as client:
        client.send(asking + asking + LIVE)
        replies = [client.receive() for _ in range(3)]

    assert [reply.status for reply in replies if reply] == [200, 200, 200]


def test_trailers_are_no_headers(gateway: Gateway) -> None:
    head = chunked(post(length=len(GOOD)), length=len(GOOD))
    body = b"%x\r\n%b\r\n0\r\n" % (len(GOOD), GOOD)
    with RawClient(gateway.port) as client:
        client.send(head + body + b"Host: evil.example\r\nX-Request-Id: trailer\r\n\r\n")
        reply = client.receive()

    assert reply is not None
    assert reply.status == 200
    assert reply.headers["x-request-id"] != "trailer"


def test_more_requests_than_anybody_sends_ahead_end_the_connection(gateway: Gateway) -> None:
    with RawClient(gateway.port) as client:
        client.send_until_ended([b"GET /x HTTP/1.1\r\n\r\n" * 2_000])
        answered = client.read_to_end()

    assert answered < 300 * 1024
    assert gateway.get("/health/live").status_code == 200


def test_body_of_an_upgrade_that_has_no_end_is_refused(gateway: Gateway) -> None:
    endless = chunked(post(length=0, **HTTP2), length=0).replace(b"chunked", b"identity")
    with RawClient(gateway.port) as client:
        client.send(endless, GOOD + LIVE)
        refused = client.receive()
        answered = client.read_to_end()

    assert refused is not None
    assert (refused.error["code"], answered) == ("bad_request", 0)
    assert "Traceback" not in gateway.log.read_text()


def test_length_of_thousands_of_digits_is_no_fault_of_ours(gateway: Gateway) -> None:
    length = b"0" * 5000 + b"%d" % len(GOOD)
    with RawClient(gateway.port) as client:
        client.send(post(length=0).replace(b"Content-Length: 0", b"Content-Length: " + length))
        client.send(GOOD)
        reply = client.receive()

    assert reply is not None
    assert reply.status == 200


def test_trailer_that_closes_the_connection_does(gateway: Gateway) -> None:
    head = chunked(post(length=0), length=0)
    with RawClient(gateway.port) as client:
        client.send(head + b"%x\r\n%b\r\n0\r\nConnection: close\r\n\r\n" % (len(GOOD), GOOD))
        reply = client.receive()
        rest = client.read_to_end()

    assert reply is not None
    assert reply.headers["connection"] == "close"
    assert rest == 0


def test_body_that_is_packed_for_its_transfer_is_refused(gateway: Gateway) -> None:
    head = chunked(post(length=0), length=0).replace(b"chunked", b"gzip, chunked")
    packed = gzip.compress(GOOD)
    with RawClient(gateway.port) as client:
        client.send(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed))
        refused = client.receive()

    assert refused is not None
    assert (refused.status, refused.error["code"]) == (415, "unsupported_type")
    assert refused.error["message"].startswith("Transfer-Encoding 'gzip, chunked'")


@pytest.mark.parametrize(
    ("request_line", "said"),
    [
        (b"GET /?model=\xe4\xb8\xad HTTP/1.1", "in url query; letters beyond ASCII are %XX there"),
        (b"HELLO", "Invalid method encountered"),
    ],
)
def test_what_is_no_http_is_told_what_of_it_is_not(
    gateway: Gateway, request_line: bytes, said: str
) -> None:
    with RawClient(gateway.port) as client:
        client.send(request_line + b"\r\n\r\n")
        refused = client.receive()

    assert refused is not None
    assert refused.error["code"] == "bad_request"
    assert refused.error["message"].endswith(said)
