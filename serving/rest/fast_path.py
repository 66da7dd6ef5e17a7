"""The fast path: a request for crops that came whole is answered on the event loop, without a task.

What is large, slow or unusual goes to the route itself (`crops`), which answers the same.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Final

from starlette.types import Scope

from serving.models.model_pool import ModelPool
from serving.problems import Problem, cut_off
from serving.rest.body import FILE_TYPES
from serving.rest.capacity import too_late
from serving.rest.crop_request import parse_crops
from serving.rest.crops import (
    LARGE_BODY,
    METHOD,
    PATH,
    CropReader,
    CropReading,
    choose_reader,
    crop_options,
    write_crops,
)
from serving.rest.edge import CLIENT_LEFT, TIMEOUT, Entrance, failed
from serving.rest.exchange import SECURITY_HEADERS, header_lines
from serving.rest.http.whole_request import Respond
from serving.rest.inbox import Inbox
from serving.rest.refusals import Refusals

UNUSUAL: Final = frozenset(
    (b"content-encoding", b"expect", b"transfer-encoding", b"upgrade", TIMEOUT.encode())
)
"""Headers that ask for more than an answer to a body that is there."""

MOST_DIGITS: Final = 6
"""Of a length that is small: who fills one up with zeros is unusual, too."""

HEADERS: Final = header_lines(SECURITY_HEADERS)
IS_JSON: Final = header_lines({"content-type": "application/json"})


class FastPath:
    """Answers requests; what they take is given back when they are answered."""

    path: Final = PATH
    """Of the route, as metrics name it."""

    def __init__(
        self,
        pool: ModelPool,
        *,
        entrance: Entrance,
        inbox: Inbox,
        reader: CropReader,
        refusals: Refusals,
    ) -> None:
        """Answer none yet.

        Args:
            pool: Of models.
            entrance: Lets requests in.
            inbox: Where their bodies are held.
            reader: Reads them.
            refusals: Writes what is wrong with them.
        """
        self._pool = pool
        self._entrance = entrance
        self._inbox = inbox
        self._reader = reader
        self._refusals = refusals
        self._too_late = too_late(reader.limits.pages_timeout_s)
        self._visits: set[_Visit] = set()

    def takes(self, scope: Scope) -> bool:
        """Say by its head whether a request is answered here, if its body comes soon."""
        if scope["path"] != PATH or scope["method"] != METHOD:
            return False
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"")
        is_small = len(length) <= MOST_DIGITS and length.isdigit() and int(length) < LARGE_BODY
        return is_small and UNUSUAL.isdisjoint(headers)

    def answer(self, scope: Scope, body: bytes, respond: Respond) -> Callable[[], None]:
        """Answer a request, now or when it is read; return what is called if its client leaves."""
        scope["route"] = self
        visit = _Visit(scope, body, respond)
        self._visits.add(visit)
        record = self._entrance.open(scope)
        record.received = len(body)
        try:
            self._entrance.admit(scope)
            self._begin(visit)
        except Exception as error:  # noqa: BLE001 - the edge of the gateway
            try:
                self._refuse(visit, error)
            finally:
                self._close(visit)
        return partial(self._give_up, visit, None)

    def close(self) -> None:
        """Refuse what is still inside."""
        for visit in self._visits:
            self._give_up(visit, cut_off())

    def _begin(self, visit: "_Visit") -> None:
        state = visit.scope["state"]
        options = crop_options(visit.scope["query_string"])
        self._inbox.hold(visit.body, state, file_types=FILE_TYPES)
        visit.is_held = True
        self._reader.capacity.take()
        visit.has_place = True
        limits = self._reader.limits
        images = parse_crops(
            visit.body,
            content_type=state["headers"].get("content-type", ""),
            limits=limits,
            partial=options.partial,
        )
        live = choose_reader(self._pool, options, state["caller"])
        reading = self._reader.begin(live, images, state["record"], partial=options.partial)
        visit.done = reading.asked.done
        visit.done.add_done_callback(partial(self._end, visit, reading))
        visit.late = asyncio.get_running_loop().call_later(
            limits.pages_timeout_s, self._give_up, visit, self._too_late
        )

    def _give_up(self, visit: "_Visit", why: Problem | None) -> None:
        """Have no more of it read; why, its client is told, if it is there."""
        if visit.done is not None and not visit.done.done():
            visit.why = why
            visit.done.cancel()

    def _end(self, visit: "_Visit", reading: CropReading, done: "asyncio.Future[None]") -> None:
        """Answer what was read, or given up."""
        try:
            if not done.cancelled():
                self._answer(visit, reading)
            elif visit.why is not None:
                self._refuse(visit, visit.why)
            else:
                visit.scope["state"]["record"].status = CLIENT_LEFT
        except Exception as error:  # noqa: BLE001 - the edge of the gateway
            self._refuse(visit, error)
        finally:
            self._close(visit)

    def _answer(self, visit: "_Visit", reading: CropReading) -> None:
        record = visit.scope["state"]["record"]
        results = self._reader.results(reading, record)
        content = write_crops(results, live=reading.live, request_id=record.request_id)
        self._respond(visit, 200, IS_JSON, content)

    def _refuse(self, visit: "_Visit", error: Exception) -> None:
        record = visit.scope["state"]["record"]
        problem = error if isinstance(error, Problem) else failed(record)
        response = self._refusals.write(problem, visit.scope)
        del response.headers["content-length"]  # every answer gets its own
        headers = header_lines(response.headers)
        self._respond(visit, response.status_code, headers, bytes(response.body))

    def _respond(self, visit: "_Visit", status: int, headers: bytes, content: bytes) -> None:
        record = visit.scope["state"]["record"]
        record.status, record.sent = status, len(content)
        own = {"content-length": str(len(content)), "x-request-id": record.request_id}
        visit.respond(status, headers + HEADERS + header_lines(own), content)

    def _close(self, visit: "_Visit") -> None:
        """Give back what it took, and write down how it was answered."""
        self._visits.discard(visit)
        if visit.late is not None:
            visit.late.cancel()
        if visit.has_place:
            self._reader.capacity.give_back()
        if visit.is_held:
            self._inbox.let_go(visit.body)
        self._entrance.close(visit.scope, started=visit.started)


class _Visit:
    """One request, and what it has taken so far."""

    __slots__ = (
        "body",
        "done",
        "has_place",
        "is_held",
        "late",
        "respond",
        "scope",
        "started",
        "why",
    )

    def __init__(self, scope: Scope, body: bytes, respond: Respond) -> None:
        self.started = perf_counter()
        self.scope = scope
        self.body = body
        self.respond = respond
        self.is_held = self.has_place = False
        self.done: asyncio.Future[None] | None = None
        self.late: asyncio.TimerHandle | None = None
        self.why: Problem | None = None
