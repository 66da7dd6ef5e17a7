"""An answer that begins before all of it is known: a line of JSON for each page."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

JSON_LINES: Final = "application/x-ndjson"


def _nothing() -> None:
    pass


class JsonLines:
    """Sends lines as they come, and keeps nobody waiting who makes them."""

    def __init__(self, send: Send) -> None:
        """Send nothing yet."""
        self._send = send
        self._waiting: asyncio.Queue[tuple[bytes, Callable[[], None]]] = asyncio.Queue()
        self._sender: asyncio.Task[None] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether there is a line."""
        return self._sender is not None

    def put(self, content: Mapping[str, Any], *, on_sent: Callable[[], None] = _nothing) -> None:
        """Have a line sent; the first one begins the answer."""
        line = json.dumps(content, ensure_ascii=False).encode() + b"\n"
        self._waiting.put_nowait((line, on_sent))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_lines())

    async def end(self) -> None:
        """Wait until the client has all, and that this is all."""
        self._waiting.put_nowait((b"", _nothing))
        if self._sender is not None:
            await self._sender

    def give_up(self) -> None:
        """Send no more."""
        if self._sender is not None:
            self._sender.cancel()

    async def _send_lines(self) -> None:
        headers = [(b"content-type", JSON_LINES.encode())]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        line = b"-"
        while line:
            line, on_sent = await self._waiting.get()
            more = bool(line)
            await self._send({"type": "http.response.body", "body": line, "more_body": more})
            on_sent()


class LateResponse(Response):
    """A response that is found, or sent, when there is somebody to send it to.

    Unlike Starlette's it sends from the request's own task, so that time limits hold around it.
    """

    def __init__(
        self, request: Request, write: Callable[[Request, Send], Awaitable[Response | None]]
    ) -> None:
        """Do nothing yet.

        Args:
            request: What is asked.
            write: Returns what to answer, or sends it itself.
        """
        super().__init__()
        self._request = request
        self._write = write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        response = await self._write(self._request, send)
        if response is not None:
            await response(scope, receive, send)
