import asyncio
import logging
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from serving.rest.http.whole_head import WholeHead

END = "closed"


class Wire(asyncio.Transport):
    """Keeps what is written, piece by piece, and when it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes | str] = []

    def write(self, data: Any) -> None:
        self.pieces.append(bytes(data))

    def close(self) -> None:
        self.pieces.append(END)

    def is_closing(self) -> bool:
        return END in self.pieces


def answer(app: ASGIApp, *, method: str = "GET", **options: bool) -> list[bytes | str]:
    """Let an application answer one request, as uvicorn does it."""
    return asyncio.run(_answer(app, method=method, **options))


async def _answer(
    app: ASGIApp, *, method: str, keep_alive: bool = True, expects_100: bool = False
) -> list[bytes | str]:
    wire, log = Wire(), logging.getLogger("uvicorn.error")
    cycle = RequestResponseCycle(
        scope={"type": "http", "method": method, "wire": wire},  # type: ignore[typeddict-item]
        transport=wire,
        flow=FlowControl(wire),
        logger=log,
        access_logger=log,
        access_log=False,
        default_headers=[],
        message_event=asyncio.Event(),
        expect_100_continue=expects_100,
        keep_alive=keep_alive,
        on_response=lambda: None,
    )
    cycle.transport = WholeHead(cycle, wire)  # type: ignore[assignment]
    cycle.more_body = False
    cycle.message_event.set()
    await cycle.run_asgi(app)  # type: ignore[arg-type]
    return wire.pieces


def test_head_and_body_are_one_piece() -> None:
    (piece,) = answer(PlainTextResponse("2026"))

    assert isinstance(piece, bytes)
    assert piece.startswith(b"HTTP/1.1 200 OK\r\n")
    assert piece.endswith(b"\r\n\r\n2026")


def test_later_pieces_wait_for_nothing() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for body in (b"1\n", b"2\n"):
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body"})

    first, second, last = answer(app)

    assert str(first).count("HTTP/1.1 200") == 1
    assert [second, last] == [b"2\r\n2\n\r\n", b"0\r\n\r\n"]


@pytest.mark.parametrize("keep_alive", [True, False])
def test_head_without_a_body_is_written(keep_alive: bool) -> None:
    pieces = answer(PlainTextResponse("2026"), method="HEAD", keep_alive=keep_alive)

    assert isinstance(pieces[0], bytes)
    assert pieces[0].endswith(b"\r\n\r\n")
    assert b"content-length: 4" in pieces[0]
    assert pieces[1:] == ([] if keep_alive else [END])


def test_client_that_waits_for_100_is_told_at_once() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await PlainTextResponse("2026")(scope, receive, send)

    told, answered = answer(app, expects_100=True)

    assert told == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert isinstance(answered, bytes)
    assert answered.endswith(b"2026")


def test_what_fails_after_its_head_is_cut_not_lost() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    head, end = answer(app)

    assert isinstance(head, bytes)
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert end == END


def test_head_that_no_body_follows_waits_for_nothing() -> None:
    at_once: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        at_once.append(len(scope["wire"].pieces))
        await send({"type": "http.response.body"})

    answer(app, method="HEAD")

    assert at_once == [1]
