import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from ocr.http_answer import take_answer
from tests.ocr.store.test_s3_faults import Answer, canned_server


@contextmanager
def dripping_server() -> Iterator[str]:
    """A server whose answer has a head without end."""

    class Drips(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            with suppress(OSError):  # whoever asked has left
                while True:
                    self.wfile.write(b"a: b\r\n")
                    time.sleep(0.02)

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Drips) as server:
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def take(address: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(trust_env=False) as http:
            return await take_answer(http.stream("GET", address), timeout_s=0.3, most_bytes=10)

    return asyncio.run(ask())


def test_a_head_without_end_is_not_waited_for() -> None:
    with (
        dripping_server() as address,
        pytest.raises(httpx.ReadTimeout, match=r"no end within 0\.3 s"),
    ):
        take(address)


def test_a_packed_body_is_not_unpacked() -> None:
    packed = Answer(200, b"x" * 5, packed="gzip, gzip")
    with (
        canned_server({"GET": packed}) as endpoint,
        pytest.raises(httpx.DecodingError, match=r"packed \(gzip, gzip\)"),
    ):
        take(f"http://{endpoint}")


def test_a_body_is_taken_up_to_a_bound() -> None:
    with canned_server({"GET": Answer(200, b"x" * 10)}) as endpoint:
        assert take(f"http://{endpoint}").content == b"x" * 10
    with (
        canned_server({"GET": Answer(200, b"x" * 11)}) as endpoint,
        pytest.raises(httpx.ReadError, match="more than 10 bytes"),
    ):
        take(f"http://{endpoint}")
