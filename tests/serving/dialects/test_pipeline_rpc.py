"""Paddle Serving's gRPC: asked by its own client, and within every limit of the gateway."""

import ast
import base64
import json
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest

from deploy.ports import pick_port
from ocr.image.pixels import encode_png
from serving.access.key_file import add_key
from serving.dialects.pipeline_rpc import MOST_CALLS, MOST_CONNECTIONS
from serving.engines.pipeline_messages import METHOD, Request, Response
from tests.serving.conftest import serving_pages
from tests.serving.engines.serving_runtime import find_serving_runtime
from tests.serving.gateway import Gateway, wait_until
from tests.serving.tiny_bundle import png
from tests.serving.tiny_pipeline import draw_page

PAGE = encode_png(draw_page(["2026", "31415", "9"]))
CLIENT = """
import json, sys
from paddle_serving_server.pipeline import PipelineClient
client = PipelineClient()
client.connect([sys.argv[1]])
reply = client.predict(feed_dict={"image": sys.argv[2]}, fetch=["result"])
print(json.dumps([reply.err_no, reply.err_msg, list(reply.key), list(reply.value)]))
"""


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "keys.json"


@pytest.fixture(scope="module")
def served(
    key_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Gateway, str]]:
    """A gateway that anybody may ask, and where its RPC is."""
    port = pick_port(0)
    folder = tmp_path_factory.mktemp("rpc")
    with serving_pages(folder, OCRLINE_RPC_PORT=str(port), OCRLINE_KEYS=str(key_file)) as gateway:
        yield gateway, f"127.0.0.1:{port}"


def call(address: str, image: bytes, *, name: str = "", timeout_s: float = 30, **said: Any) -> Any:
    value = base64.encodebytes(image).decode().replace("\n", "\t\v\r\n")  # as HTTP takes it
    request = Request(key=["image"], value=[value], name=name, **said)
    with grpc.insecure_channel(address) as channel:
        ask = channel.unary_unary(METHOD, Request.SerializeToString, Response.FromString)
        return ask(request, timeout=timeout_s)


def frame(kind: int, content: bytes, *, flags: int = 0, stream: int = 0) -> bytes:
    """A frame of HTTP/2 (RFC 9113, 4.1)."""
    return struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream) + content


def begin_call(address: str, message: bytes, *, window: int = 65_535) -> socket.socket:
    """Open a connection whose call has sent so much, to a client that takes `window` bytes."""
    said = {":method": "POST", ":scheme": "http", ":path": METHOD, ":authority": "x"}
    said |= {"te": "trailers", "content-type": "application/grpc"}
    parts = [part.encode() for item in said.items() for part in item]
    fields = [b"\0" * (at % 2 == 0) + bytes([len(part)]) + part for at, part in enumerate(parts)]
    host, _, port = address.partition(":")
    connection = socket.create_connection((host, int(port)), timeout=30)
    connection.sendall(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + frame(4, struct.pack(">HI", 4, window))
        + frame(1, b"".join(fields), flags=4, stream=1)
        + frame(0, message, stream=1)
    )
    return connection


@contextmanager
def while_nobody_reads(gateway: Gateway) -> Iterator[None]:
    """Hold the processes that read: the fastest machine meets no deadline then."""
    readers = psutil.Process(gateway.process.pid).children(recursive=True)
    for reader in readers:
        reader.suspend()
    try:
        yield
    finally:
        for reader in readers:
            with suppress(psutil.NoSuchProcess):  # it was ended over a page that nobody waits for
                reader.resume()


def test_its_own_client_reads_a_page(served: tuple[Gateway, str], tmp_path: Path) -> None:
    python = find_serving_runtime()
    _, address = served

    said = subprocess.run(
        [python, "-c", CLIENT, address, base64.b64encode(PAGE).decode()],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )

    number, message, keys, values = json.loads(said.stdout.splitlines()[-1])
    assert (number, message, keys) == (0, "", ["result", "model_version"])
    lines = ast.literal_eval(values[0])
    assert [text for (text, _), _ in lines] == ["2026", "31415", "9"]
    assert values[1] == "pages:p1"


def test_a_model_is_asked_by_its_name(served: tuple[Gateway, str]) -> None:
    gateway, address = served
    counted = 'ocrline_requests_total{method="POST",route="/{name}/prediction",status="200"}'
    before = gateway.metric(counted)

    answer = call(address, png("42"), name="bars")

    assert (answer.err_no, list(answer.value)) == (0, ["['42']", "bars:v1"])
    assert gateway.metric(counted) - before == 1


def test_what_is_wrong_is_said_with_its_number(served: tuple[Gateway, str]) -> None:
    _, address = served
    tensor = [{"name": "x", "elem_type": 13, "byte_data": b"\x80pickle"}]

    answers = [
        call(address, png("1"), name="none/../x"),
        call(address, b"junk", name="bars"),
        call(address, png("1"), name="bars", tensors=tensor),
        call(address, png("1"), name="v2/models/bars"),
    ]

    assert [answer.err_no for answer in answers] == [7, 9, 9, 7]
    assert answers[3].err_msg
    assert "tensors are not taken" in answers[2].err_msg


def test_limits_of_bodies_and_deadlines_hold(served: tuple[Gateway, str]) -> None:
    gateway, address = served

    with pytest.raises(grpc.RpcError) as large:
        call(address, bytes(4 * 2**20), name="bars")
    with while_nobody_reads(gateway), pytest.raises(grpc.RpcError) as late:
        call(address, PAGE, name="pages", timeout_s=0.3)

    assert large.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert call(address, png("7"), name="bars").value[0] == "['7']"


@pytest.mark.parametrize("field", [b"\x1a\x00", b"\x0a\x00"], ids=["tensors", "keys"])
def test_a_message_of_many_parts_is_refused_before_it_is_taken_apart(
    served: tuple[Gateway, str], field: bytes
) -> None:
    with grpc.insecure_channel(served[1]) as channel:
        ask = channel.unary_unary(METHOD, bytes, Response.FromString)
        reply = ask(field * 1001, timeout=30)

        with pytest.raises(grpc.RpcError) as refused:
            ask(b"\x0a\xff", timeout=30)

    assert reply.err_no > 0
    assert "more than 1000 fields" in reply.err_msg
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_what_comes_before_the_key_is_looked_at_is_small(served: tuple[Gateway, str]) -> None:
    _, address = served
    long = call(address, png("1"), name="é" * 70_000)
    with grpc.insecure_channel(address) as channel:
        ask = channel.unary_unary(METHOD, Request.SerializeToString, Response.FromString)
        keys = ask(Request(key=["k" * 500] * 3, value=["v"] * 3), timeout=30)
        values = ask(Request(key=["image"], value=["\x01" * 100]), timeout=30)
        tensors = ask(Request(tensors=[{"shape": [1] * 10_000}]), timeout=30)

    assert "more than 1000 characters" in long.err_msg
    assert "more than 1000 characters" in keys.err_msg
    assert "cannot be printed" in values.err_msg
    assert "tensors are not taken" in tensors.err_msg


def test_a_key_is_metadata(tmp_path: Path) -> None:
    port, keys = pick_port(0), tmp_path / "keys.json"
    key = add_key(keys, name="orders", models=("bars",))
    settings = {"OCRLINE_RPC_PORT": str(port), "OCRLINE_KEYS": str(keys)}

    with (
        serving_pages(tmp_path / "g", **settings),
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        ask = channel.unary_unary(METHOD, Request.SerializeToString, Response.FromString)
        request = Request(key=["image"], value=[base64.b64encode(png("4")).decode()], name="bars")
        stranger = ask(request)
        known = ask(request, metadata=[("authorization", f"Bearer {key}")])

    assert (stranger.err_no, "Authorization" in stranger.err_msg) == (9, True)
    assert (known.err_no, known.value[0]) == (0, "['4']")


@pytest.mark.parametrize("begun", [b"", struct.pack(">BI", 0, 1000) + b"x"], ids=["none", "some"])
def test_calls_whose_message_does_not_come_are_ended(tmp_path: Path, begun: bytes) -> None:
    port = pick_port(0)
    address = f"127.0.0.1:{port}"
    settings = {"OCRLINE_RPC_PORT": str(port), "OCRLINE_BODY_TIMEOUT_S": "1"}

    with serving_pages(tmp_path, **settings), ExitStack() as stack:
        silent = [stack.enter_context(begin_call(address, begun)) for _ in range(MOST_CALLS)]
        for each in silent:
            said = b""
            while b"not complete after 1 s" not in said:
                said += each.recv(4096)
        answer = call(address, png("3"), name="bars")

    assert answer.value[0] == "['3']"


def test_connections_that_say_nothing_keep_none_over_http_out(tmp_path: Path) -> None:
    port = pick_port(0)

    with serving_pages(tmp_path, OCRLINE_RPC_PORT=str(port)):
        with ExitStack() as stack:
            silent = [
                stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                for _ in range(MOST_CONNECTIONS + 3)
            ]
            greeted = [each.recv(64) != b"" for each in silent]
        answer = call(f"127.0.0.1:{port}", png("3"), name="bars")

    assert greeted.count(True) == MOST_CONNECTIONS
    assert answer.value[0] == "['3']"


def test_clients_that_leave_before_their_answer_write_nothing_to_the_log(
    served: tuple[Gateway, str],
) -> None:
    gateway, address = served
    request = Request(name="bars").SerializeToString()  # without an image
    counted = 'ocrline_requests_total{method="POST",route="/{name}/prediction",status="422"}'
    before = gateway.metric(counted)

    with begin_call(address, struct.pack(">BI", 0, len(request)) + request, window=0):
        wait_until(lambda: gateway.metric(counted) > before, log=gateway.log)
    call(address, png("1"), name="bars")

    assert "Traceback" not in gateway.log.read_text()
