"""How a gateway's process ends, as a supervisor expects it: start-ups that fail or are stopped."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest
import uvicorn
from starlette.applications import Starlette

from serving.rest.http.server import Server


def fail(_: Starlette) -> AbstractAsyncContextManager[None]:
    raise ValueError("no port for gRPC")


def test_a_gateway_whose_start_fails_ends_with_a_failure() -> None:
    config = uvicorn.Config(Starlette(lifespan=fail), port=0, log_config=None)

    with pytest.raises(SystemExit) as ended:
        Server(config, stopping=asyncio.Event()).run()

    assert ended.value.code


def test_a_gateway_that_is_told_to_stop_before_it_listens_ends_at_once() -> None:
    stopping = asyncio.Event()
    server = Server(uvicorn.Config(Starlette(), port=0, log_config=None), stopping=stopping)

    server.stop()
    server.run()

    assert stopping.is_set()
