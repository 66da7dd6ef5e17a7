"""A stop: both ports close at once, and what is inside has the same time to end."""

import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import grpc

from deploy.ports import pick_port
from serving.engines.pipeline_messages import METHOD, Request, Response
from tests.serving.conftest import serving_pages
from tests.serving.gateway import wait_until
from tests.serving.tiny_bundle import png

HEAD = (
    "POST /v1/recognize?model=bars HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    "Expect: 100-continue\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n"
)


def is_closed(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_both_ports_close_while_a_request_is_still_inside(tmp_path: Path) -> None:
    port, image = pick_port(0), png("4")
    settings = {"OCRLINE_RPC_PORT": str(port), "OCRLINE_DRAIN_S": "60"}

    with (
        serving_pages(tmp_path, **settings) as gateway,
        socket.create_connection(("127.0.0.1", gateway.port), timeout=30) as slow,
    ):
        slow.sendall(HEAD.format(len(image)).encode())
        begun = slow.recv(100)
        gateway.process.terminate()
        for each in (gateway.port, port):
            wait_until(partial(is_closed, each), log=gateway.log)
        slow.sendall(image)
        said = slow.makefile("rb").read()

    assert begun.startswith(b"HTTP/1.1 100 Continue")
    assert said.startswith(b"HTTP/1.1 200 OK")


def test_a_call_that_is_cut_off_is_told_so(tmp_path: Path) -> None:
    port, goes_on = pick_port(0), Event()
    settings = {"OCRLINE_RPC_PORT": str(port), "OCRLINE_DRAIN_S": "1"}

    def nothing() -> Iterator[Any]:
        goes_on.wait()
        yield from ()

    with (
        serving_pages(tmp_path, **settings) as gateway,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        ask = channel.stream_unary(METHOD, Request.SerializeToString, Response.FromString)
        silent = ask.future(nothing(), timeout=60)
        ask(iter([Request(name="bars")]))  # behind the other on their connection
        gateway.process.terminate()
        answer = silent.result()
        goes_on.set()

    assert (answer.err_no, answer.err_msg) == (6, "The gateway is stopping; ask again")
    assert "Traceback" not in gateway.log.read_text()
