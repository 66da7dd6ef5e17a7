"""A stop: both ports close at once, and what is inside has the same time to end."""

import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import grpc
import numpy as np

from deploy.ports import pick_port
from ocr.image.pixels import encode_png
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


def test_a_client_that_does_not_take_its_answer_is_a_line_in_the_log(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (1200, 1600, 3), dtype=np.uint8)
    page = encode_png(noise)
    settings = {"OCRLINE_MAX_BODY_MB": "16", "OCRLINE_DRAIN_S": "1"}
    head = HEAD.replace("/v1/recognize?model=bars", "/v1/ocr?render=true&annotate=true")

    with serving_pages(tmp_path, **settings) as gateway, socket.socket() as taker:
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        taker.settimeout(60)
        taker.connect(("127.0.0.1", gateway.port))
        taker.sendall(head.replace("Expect: 100-continue\r\n", "").format(len(page)).encode())
        taker.sendall(page)
        begun = taker.recv(15, socket.MSG_PEEK)
        gateway.process.terminate()
        gateway.process.wait(timeout=60)

    assert begun == b"HTTP/1.1 200 OK"
    log = gateway.log.read_text()
    assert log.count("is cut off: its client has not taken the answer") == 1
    assert "Traceback" not in log
