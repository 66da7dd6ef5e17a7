"""HEAD, which monitors ask with: answered as GET, without a body (RFC 9110, section 9.3.2)."""

from functools import partial

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """ASGI middleware before the routes, which know GET and POST alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; any other than HEAD passes untouched."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        asked = {**scope, "method": "GET"}
        try:
            await self._app(asked, receive, partial(_send_without_body, send))
        finally:
            scope["route"] = asked.get("route")


async def _send_without_body(send: Send, message: Message) -> None:
    if message["type"] == "http.response.body":
        message = {**message, "body": b""}
    await send(message)
