"""An answer that begins before all of it is known: a line of JSON for each page."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fastapi import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

JSON_LINES: Final = "application/x-ndjson"


class JsonLines:
    """Sends lines as they come."""

    def __init__(self, send: Send) -> None:
        """Send nothing yet."""
        self._send = send
        self.has_started = False

    async def write(self, content: Mapping[str, Any]) -> None:
        """Send a line; the first one begins the answer."""
        if not self.has_started:
            self.has_started = True
            headers = [(b"content-type", JSON_LINES.encode())]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        line = json.dumps(content, ensure_ascii=False).encode() + b"\n"
        await self._send({"type": "http.response.body", "body": line, "more_body": True})

    async def end(self) -> None:
        """Send that this is all."""
        await self._send({"type": "http.response.body", "body": b""})


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
