"""Paddle Serving's gRPC: asked by its own client, and within every limit of the gateway."""

import ast
import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest

from deploy.ports import pick_port
from ocr.image.pixels import encode_png
from serving.access.key_file import add_key
from serving.engines.pipeline_messages import METHOD, Request, Response
from tests.serving.conftest import serving_pages
from tests.serving.engines.serving_runtime import find_serving_runtime
from tests.serving.gateway import Gateway
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
    request = Request(key=["image"], value=[base64.b64encode(image).decode()], name=name, **said)
    with grpc.insecure_channel(address) as channel:
        ask = channel.unary_unary(METHOD, Request.SerializeToString, Response.FromString)
        return ask(request, timeout=timeout_s)


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
    ]

    assert [answer.err_no for answer in answers] == [7, 9, 9]
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
