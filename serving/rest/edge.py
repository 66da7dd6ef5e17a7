"""The outermost layer of the gateway: request ids, the token, headers, counts, last errors."""

import hmac
import logging
import re
import time
import uuid
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.metrics import ServingMetrics
from serving.problems import Problem, problem_response
from serving.web import demo_page

LOG = logging.getLogger("ocrline.serving")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
CLIENT_LEFT = 499  # nginx's word for it; nobody reads it
OPEN_ROUTES: Final = frozenset({"/health/live", "/health/ready"}) | demo_page.PATHS
SECURITY_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Edge:
    """ASGI middleware around everything; probes and the demo page need no token."""

    def __init__(self, app: ASGIApp, *, token: str, metrics: ServingMetrics) -> None:
        self._app = app
        self._token = token.encode()
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; anything but HTTP passes untouched."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        sender = _Sender(send, request_id=_request_id(Headers(scope=scope)))
        scope.setdefault("state", {})["request_id"] = sender.request_id
        try:
            await self._answer(scope, receive, sender)
        finally:
            route = scope.get("route")
            self._metrics.observe(
                route=getattr(route, "path", "other"),
                method=scope["method"],
                status=sender.status,
                seconds=time.perf_counter() - started,
            )

    async def _answer(self, scope: Scope, receive: Receive, sender: "_Sender") -> None:
        is_known = self._is_known(scope)
        scope["state"]["is_known"] = is_known
        if not (is_known or scope["path"] in OPEN_ROUTES):
            problem = Problem("unauthorized", "Expected the header Authorization: Bearer <token>")
            await problem_response(problem, request_id=sender.request_id)(scope, receive, sender)
            return
        try:
            await self._app(scope, receive, sender)
        except ClientDisconnect:
            sender.status = CLIENT_LEFT
        except Exception:
            LOG.exception("request %s failed", sender.request_id)
            if sender.has_started:
                raise
            problem = Problem("internal", "The gateway failed; its log names this request_id")
            await problem_response(problem, request_id=sender.request_id)(scope, receive, sender)

    def _is_known(self, scope: Scope) -> bool:
        if not self._token:
            return True
        given = dict(scope["headers"]).get(b"authorization", b"")
        kind, _, token = given.partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(token, self._token)


class _Sender:
    """Sends, adding the headers of every answer, and remembers the status."""

    def __init__(self, send: Send, *, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status = 500
        self.has_started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_started = True
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = self.request_id
            for header, value in SECURITY_HEADERS.items():
                headers.setdefault(header, value)
        await self._send(message)


def _request_id(headers: Headers) -> str:
    """Keep the client's id if it is harmless; a fresh one otherwise."""
    given = headers.get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
