"""A server that does not start says so by its exit code, as a supervisor expects."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest
import uvicorn
from starlette.applications import Starlette

from serving.rest.http.server import NOT_STARTED, Server


def fail(_: Starlette) -> AbstractAsyncContextManager[None]:
    raise ValueError("no port for gRPC")


def test_a_gateway_whose_start_fails_ends_with_a_failure() -> None:
    config = uvicorn.Config(Starlette(lifespan=fail), port=0, log_config=None)

    with pytest.raises(SystemExit) as ended:
        Server(config, stopping=asyncio.Event()).run()

    assert ended.value.code == NOT_STARTED
