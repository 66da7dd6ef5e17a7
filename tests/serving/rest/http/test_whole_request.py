"""What is answered without a task and what is not, over real connections."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from serving.metrics import ServingMetrics
from serving.rest.http import whole_request
from serving.rest.http.connection import ConnectionLimits, limit_connections
from serving.rest.http.whole_request import Respond, WholeRequests

LIMITS = ConnectionLimits(connections=10, header_timeout_s=5, send_timeout_s=5)
LATE_S = 0.2
HEAD = b"POST /%b HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"


def ask(path: str, body: bytes) -> bytes:
    return HEAD % (path.encode(), len(body)) + body


class Fast:
    """Takes what is asked at /fast, /held and /now; answers what was sent."""

    def __init__(self) -> None:
        self.held: list[Callable[[], None]] = []
        self.left = 0
        self.ended = 0  # tasks whose client left before its body was there

    def takes(self, scope: Scope) -> bool:
        return str(scope["path"]) in ("/fast", "/held", "/now")

    def answer(self, scope: Scope, body: bytes, respond: Respond) -> Callable[[], None]:
        answer = partial(respond, 200, b"content-length: %d\r\n" % (len(body) + 5), b"fast " + body)
        if scope["path"] == "/now":
            answer()
        elif scope["path"] == "/fast":
            asyncio.get_running_loop().call_later(0.01, answer)
        else:
            self.held.append(answer)
        return self._leave

    def _leave(self) -> None:
        self.left += 1

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer all others in tasks."""
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
            self.ended += message["type"] == "http.disconnect"
        await PlainTextResponse(b"task " + body)(scope, receive, send)


class Client:
    def __init__(self, server: uvicorn.Server) -> None:
        self.server = server

    async def connect(self) -> None:
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)

    async def read(self) -> tuple[str, str]:
        """Return the head of the next answer, and its body."""
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 10)).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        return head, (await self.reader.readexactly(length)).decode()

    async def body(self) -> str:
        return (await self.read())[1]


@asynccontextmanager
async def serving(fast: Fast) -> AsyncIterator[Client]:
    """Serve, with one client."""
    connection = limit_connections(LIMITS, ServingMetrics(), fast=fast)
    config = uvicorn.Config(
        fast.app, interface="asgi3", http=connection, port=0, lifespan="off", log_level="error"
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    client = Client(server)
    await client.connect()
    try:
        yield client
    finally:
        client.writer.close()
        server.should_exit = server.force_exit = True
        await task


def test_what_is_whole_at_once_or_soon_takes_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_request, "SOON_S", 60.0)

    async def run() -> list[str]:
        async with serving(Fast()) as client:
            client.writer.write(ask("fast", b"1"))
            first = await client.body()
            head = ask("fast", b"23")
            for piece in (head[:-2], head[-2:-1], head[-1:]):
                client.writer.write(piece)
                await asyncio.sleep(0.01)
            return [first, await client.body()]

    assert asyncio.run(run()) == ["fast 1", "fast 23"]


def test_what_comes_late_or_elsewhere_has_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_request, "SOON_S", LATE_S / 10)

    async def run() -> list[str]:
        async with serving(Fast()) as client:
            client.writer.write(ask("slow", b"1"))
            first = await client.body()
            head = ask("fast", b"2")
            client.writer.write(head[:-1])
            await asyncio.sleep(LATE_S)
            client.writer.write(head[-1:])
            return [first, await client.body()]

    assert asyncio.run(run()) == ["task 1", "task 2"]


def test_answers_come_in_the_order_of_requests_sent_at_once() -> None:
    asked = [("now", b"1"), ("fast", b"2"), ("slow", b"3"), ("fast", b"4"), ("now", b"5")]

    async def run() -> list[str]:
        async with serving(Fast()) as client:
            client.writer.write(b"".join(ask(*each) for each in asked))
            return [await client.body() for _ in asked]

    assert [said.split()[1] for said in asyncio.run(run())] == ["1", "2", "3", "4", "5"]


def test_the_last_of_several_requests_may_come_in_two_pieces() -> None:
    async def run() -> list[str]:
        async with serving(Fast()) as client:
            both = ask("slow", b"1") + ask("fast", b"2")
            client.writer.write(both[:-1])
            first = await client.body()
            await asyncio.sleep(LATE_S)
            client.writer.write(both[-1:])
            return [first, await client.body()]

    assert asyncio.run(run()) == ["task 1", "task 2"]


def test_who_leaves_is_told_of_once_and_answered_no_more() -> None:
    async def run() -> int:
        fast = Fast()
        async with serving(fast) as client:
            client.writer.write(ask("held", b"1"))
            while not fast.held:
                await asyncio.sleep(0.01)
            client.writer.close()
            while not fast.left:
                await asyncio.sleep(0.01)
            fast.held[0]()
        return fast.left

    assert asyncio.run(run()) == 1


def test_who_leaves_is_told_of_though_more_requests_stand_behind() -> None:
    async def run() -> int:
        fast = Fast()
        async with serving(fast) as client:
            client.writer.write(ask("held", b"1") + ask("slow", b"2") + ask("slow", b"3"))
            while not fast.held:
                await asyncio.sleep(0.01)
            client.writer.close()
            while not fast.left:
                await asyncio.sleep(0.01)
        return fast.left

    assert asyncio.run(asyncio.wait_for(run(), 30)) == 1


@pytest.mark.parametrize("path", ["now", "fast", "held"])
def test_nothing_is_kept_of_what_was_answered_or_left(path: str) -> None:
    async def run() -> list[object]:
        fast = Fast()
        async with serving(fast) as client:
            client.writer.write(ask(path, b"1"))
            if path == "held":
                while not fast.held:
                    await asyncio.sleep(0.01)
                fast.held.clear()
            else:
                await client.body()
            (connection,) = client.server.server_state.connections
            kept = weakref.ref(connection)
            body = bytes(cast("WholeRequests", connection).cycle.body)
            del connection
            client.writer.close()
            while client.server.server_state.connections:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)
            return [body, kept()]

    gc.disable()  # which comes late to what lies in circles
    try:
        assert asyncio.run(run()) == [b"", None]
    finally:
        gc.enable()


def test_a_task_is_told_that_a_body_never_comes() -> None:
    async def run() -> tuple[int, int]:
        fast = Fast()
        async with serving(fast) as client:
            client.writer.write(ask("fast", b"1")[:-1])
            await client.writer.drain()
            client.writer.close()
            while not fast.ended:
                await asyncio.sleep(0.01)
        return fast.left, fast.ended

    assert asyncio.run(asyncio.wait_for(run(), 30)) == (0, 1)


def test_a_connection_is_closed_where_its_client_asks_for_it() -> None:
    async def run() -> tuple[str, bytes]:
        async with serving(Fast()) as client:
            client.writer.write(ask("fast", b"1").replace(b"Host", b"Connection: close\r\nHost"))
            head, _ = await client.read()
            return head, await client.reader.read()

    head, rest = asyncio.run(run())

    assert "\r\nconnection: close\r\n" in head
    assert "\r\ndate: " in head
    assert rest == b""


def test_what_is_no_request_behind_one_ends_the_connection() -> None:
    async def run() -> bytes:
        fast = Fast()
        async with serving(fast) as client:
            client.writer.write(ask("fast", b"1") + b"\0\0\0\r\n\r\n")
            return await client.reader.read()

    assert asyncio.run(run()) == b""
