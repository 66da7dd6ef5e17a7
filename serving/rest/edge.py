"""The outermost layer of the gateway: request ids, the token, headers, counts, last errors."""

import asyncio
import logging
import re
import time
import uuid
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from serving.access.callers import Callers
from serving.metrics import ServingMetrics
from serving.problems import Problem, problem_response
from serving.rest.budget import Budget
from serving.rest.exchange import Exchange
from serving.rest.origin import refuse_foreign
from serving.web import demo_page

LOG = logging.getLogger("ocrline.serving")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
CLIENT_LEFT = 499  # nginx's word for it; nobody reads it
PROBES: Final = {"/health", "/health/live", "/health/ready", "/v2/health/live", "/v2/health/ready"}
OPEN_ROUTES: Final = frozenset(PROBES) | demo_page.PATHS


class Edge:
    """ASGI middleware around everything; probes and the demo page need no token."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        callers: Callers,
        names: Collection[str],
        pictures: Budget,
        metrics: ServingMetrics,
    ) -> None:
        self._app = app
        self._pictures = pictures
        self._names = names
        self._callers = callers
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; anything but HTTP passes untouched."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = Headers(scope=scope)
        request_id = _request_id(headers)
        exchange = Exchange(scope, receive, send, request_id=request_id)
        scope.setdefault("state", {})["request_id"] = request_id
        try:
            self._admit(scope, headers)
            with self._pictures.account() as scope["state"]["pictures"]:  # until it has been sent
                await self._answer(scope, exchange)
        except Problem as problem:
            await self._refuse(problem, scope, exchange)
        finally:
            route = scope.get("route")
            self._metrics.observe(
                route=getattr(route, "path", "other"),
                method=scope["method"],
                status=exchange.status,
                seconds=time.perf_counter() - started,
            )

    def _admit(self, scope: Scope, headers: Headers) -> None:
        refuse_foreign(headers, method=scope["method"], names=self._names)
        caller = self._callers.find(headers.get("authorization", ""))
        scope["state"]["caller"] = caller
        if scope["path"] in OPEN_ROUTES:
            return
        if caller is None:
            raise Problem("unauthorized", "Expected the header Authorization: Bearer <token>")
        if scope["method"] == "POST":
            caller.spend()

    async def _answer(self, scope: Scope, exchange: Exchange) -> None:
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            exchange.status = CLIENT_LEFT
        except asyncio.CancelledError:  # only a stop does so, when its time is over
            if exchange.has_started:
                raise
            raise Problem("not_ready", "The gateway is stopping; ask again") from None
        except Problem:
            raise
        except Exception:
            LOG.exception("request %s failed", exchange.request_id)
            if exchange.has_started:
                raise
            message = "The gateway failed; its log names this request_id"
            raise Problem("internal", message) from None

    async def _refuse(self, problem: Problem, scope: Scope, exchange: Exchange) -> None:
        response = problem_response(problem, request_id=exchange.request_id)
        await response(scope, exchange.receive, exchange.send)


def _request_id(headers: Headers) -> str:
    """Keep the client's id if it is harmless; a fresh one otherwise."""
    given = headers.get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
