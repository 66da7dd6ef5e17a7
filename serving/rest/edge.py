"""The outermost layer of the gateway: ids, callers, deadlines, headers, counts, last errors."""

import asyncio
import logging
import re
import time
from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from serving.access.access_log import AccessLog, AccessRecord
from serving.access.callers import Callers
from serving.metrics import ServingMetrics
from serving.problems import Problem, cut_off
from serving.rest.budget import Budget
from serving.rest.exchange import Exchange, fresh_request_id
from serving.rest.origin import refuse_foreign
from serving.rest.refusals import Refusals, path_of
from serving.web import demo_page

LOG = logging.getLogger("ocrline.serving")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
CLIENT_LEFT = 499  # nginx's word for it; nobody reads it
PROBES: Final = {"/health", "/health/live", "/health/ready", "/v2/health/live", "/v2/health/ready"}
TIMEOUT: Final = "x-request-timeout"
SECONDS = re.compile(r"\d{1,6}(\.\d{1,30})?")
OPEN_ROUTES: Final = frozenset(PROBES) | demo_page.PATHS


class Entrance:
    """Who comes in and what is written down of it; probes and the demo page need no token."""

    def __init__(
        self, *, callers: Callers, names: Collection[str], log: AccessLog, metrics: ServingMetrics
    ) -> None:
        """Let requests in.

        Args:
            callers: Who may ask.
            names: That lead here.
            log: Has a line for each request.
            metrics: What is counted.
        """
        self._callers = callers
        self._names = names
        self._log = log
        self._metrics = metrics

    def open(self, scope: Scope) -> AccessRecord:
        """Begin to write down a request; leave its record and headers in the state."""
        headers = _first_values(scope)
        record = AccessRecord(_request_id(headers), scope["method"], scope["path"])
        scope.setdefault("state", {}).update(record=record, headers=headers)
        return record

    def admit(self, scope: Scope) -> None:
        """Leave in the state who asks.

        Raises:
            Problem: They may not, or not here, or not yet.
        """
        state, headers = scope["state"], scope["state"]["headers"]
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        refuse_foreign(headers, hosts=hosts, method=scope["method"], names=self._names)
        authorization = headers.get("authorization", "")
        caller = self._callers.find(authorization)
        state["caller"] = caller
        state["record"].caller = caller.name if caller else ""
        if scope["path"] in OPEN_ROUTES:
            return
        if caller is None:
            raise Problem("unauthorized", _why_unknown(authorization))
        if scope["method"] == "POST":
            caller.spend()

    def close(self, scope: Scope, *, started: float) -> None:
        """Write down how a request was answered that began at `started`."""
        record = scope["state"]["record"]
        record.seconds = time.perf_counter() - started
        record.route = path_of(scope)
        record.client, _ = scope.get("client") or ("", 0)
        self._metrics.observe(
            route=record.route,
            method=record.method,
            status=record.status,
            seconds=record.seconds,
            code=record.code,
        )
        if record.path not in PROBES or record.code:
            self._log.write(record)


class Edge:
    """ASGI middleware around everything."""

    def __init__(
        self, app: ASGIApp, *, entrance: Entrance, answers: Budget, refusals: Refusals
    ) -> None:
        """Stand around an application.

        Args:
            app: What answers.
            entrance: Lets requests in.
            answers: What all answers share.
            refusals: Writes the problems of requests that come to no route.
        """
        self._app = app
        self._entrance = entrance
        self._answers = answers
        self._refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; anything but HTTP passes untouched."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        record = self._entrance.open(scope)
        headers = scope["state"]["headers"]
        exchange = Exchange(headers, receive, send, record=record)
        try:
            self._entrance.admit(scope)
            with self._answers.account() as scope["state"]["answer"]:  # until it has been sent
                await self._answer(scope, exchange, _timeout_s(headers))
        except Problem as problem:
            response = self._refusals.write(problem, scope)
            await response(scope, exchange.receive, exchange.send)
        finally:
            self._entrance.close(scope, started=started)

    async def _answer(self, scope: Scope, exchange: Exchange, timeout_s: float | None) -> None:
        try:
            await self._ask(scope, exchange, timeout_s)
        except ClientDisconnect:
            exchange.record.status = CLIENT_LEFT
        except asyncio.CancelledError:  # only a stop does so, when its time is over
            if exchange.has_started:
                named = exchange.record.request_id
                LOG.warning("request %s is cut off: its client has not taken the answer", named)
                raise
            raise cut_off() from None
        except Problem:
            raise
        except Exception:
            problem = failed(exchange.record)
            if exchange.has_started:
                raise
            raise problem from None

    async def _ask(self, scope: Scope, exchange: Exchange, timeout_s: float | None) -> None:
        """Have it answered; when no answer begins in time, nothing is done for it any more."""
        if timeout_s is None:
            await self._app(scope, exchange.receive, exchange.send)
            return
        deadline = asyncio.timeout(timeout_s)
        try:
            async with deadline:
                exchange.on_start = partial(deadline.reschedule, None)
                await self._app(scope, exchange.receive, exchange.send)
        except TimeoutError:
            if not deadline.expired():
                raise
            message = f"No answer began within the {timeout_s:g} s that the client waits"
            raise Problem("expired", message) from None
        finally:
            exchange.on_start = None


def failed(record: AccessRecord) -> Problem:
    """Log what is being handled, which is our fault; return what the client is told."""
    LOG.exception("request %s failed", record.request_id)
    return Problem("internal", "The gateway failed; its log names this request_id")


def _first_values(scope: Scope) -> dict[str, str]:
    """Return the first value of each header: built once, looked into often."""
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in reversed(scope["headers"])
    }


def _why_unknown(authorization: str) -> str:
    """Say what to mend, without what was given: that may be a key with a letter too many."""
    kind, _, key = authorization.partition(" ")
    if kind.lower() == "bearer" and key:
        return "The key of the header Authorization is not known here: misspelt, or revoked"
    return "Expected the header Authorization: Bearer KEY"


def _timeout_s(headers: Mapping[str, str]) -> float | None:
    """Return how long the client waits; None: as long as it may."""
    given = headers.get(TIMEOUT)
    if given is None:
        return None
    if not SECONDS.fullmatch(given) or not float(given):
        raise Problem(
            "bad_request", f"{TIMEOUT}: {given[:50]!r}: expected seconds above 0, as in 0.5"
        )
    return float(given)


def _request_id(headers: Mapping[str, str]) -> str:
    """Keep the client's id if it is harmless; a fresh one otherwise."""
    given = headers.get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else fresh_request_id()
