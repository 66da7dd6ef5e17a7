"""What patient clients do to a connection, and what it makes of that."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.serve.raw_client import RawClient, post
from tests.serving.conftest import serving_pages
from tests.serving.gateway import Gateway, wait_until
from tests.serving.tiny_pipeline import long_document

LIVE = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
READ = 'ocrline_pages_total{model="pages"}'
MANY = 200


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One gateway that waits for no headers for long."""
    variables = {
        "OCRLINE_HEADER_TIMEOUT_S": "0.2",
        "OCRLINE_MAX_PAGES": str(MANY),
    }
    with serving_pages(tmp_path_factory.mktemp("connections"), **variables) as running:
        yield running


def test_requests_behind_a_long_one_may_come_in_pieces(gateway: Gateway) -> None:
    before = gateway.metric(READ)
    long = long_document(MANY)
    with RawClient(gateway.port) as client:
        client.send(post("/v1/ocr", length=len(long), kind="image/tiff"), long)
        wait_until(lambda: gateway.metric(READ) > before, log=gateway.log)
        client.send(LIVE + b"\r\n" + LIVE)
        wait_until(lambda: gateway.metric(READ) > before + MANY / 2, log=gateway.log)
        client.send(b"\r\n")
        replies = [client.receive() for _ in range(3)]

    assert [reply.status for reply in replies if reply] == [200, 200, 200]


def test_client_that_was_told_to_continue_gets_to_read_why_it_is_refused(tmp_path: Path) -> None:
    half = b"\0" * (600 * 2**10)
    with serving_pages(tmp_path, OCRLINE_MAX_BODY_MB="1", OCRLINE_BODIES_MB="1") as gateway:
        head = post(length=0, Expect="100-continue")
        chunked = head.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        with RawClient(gateway.port) as client:
            client.send(chunked)
            assert client.receive_line() == b"HTTP/1.1 100 Continue"
            chunk = b"%x\r\n%b\r\n" % (len(half), half)
            client.send(chunk, chunk)
            reply = client.receive()
            for _ in range(20):  # a connection that is reset would throw the answer away
                client.send(b"1\r\n0\r\n")
                time.sleep(0.01)

    assert reply is not None
    assert (reply.status, reply.error["code"]) == (413, "body_too_large")
