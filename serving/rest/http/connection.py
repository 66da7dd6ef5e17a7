"""One connection: how much may come before a request is understood, and how long it may take.

uvicorn's parser on httptools has no limits of its own, its parser on h11 has one for the size of
headers and takes twice the processor time.
"""

import asyncio
import fcntl
import math
import struct
import sys
import termios
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    RequestResponseCycle,
)

from serving.metrics import ServingMetrics
from serving.problems import Problem, problem_response
from serving.rest.exchange import (
    LINGER_S,
    MIN_BYTES_A_SECOND,
    SECURITY_HEADERS,
    fresh_request_id,
    header_lines,
)
from serving.rest.http.whole_request import FastAnswers, WholeRequests

MAX_HEAD_BYTES: Final = 32_768
"""Most bytes of a request that are no body: its first line, headers, trailers, chunk extensions."""

MAX_URL_BYTES: Final = 8_192

MOST_AHEAD: Final = 256
"""Requests that a client may send behind one that is not answered yet: each takes 2.4 kB."""

SPARE: Final = 64
"""Connections beyond the limit that are told so; more are ended without a word."""

MANY_PIECES: Final = 1000
SMALL_PIECE: Final = 64
"""A body in so many pieces that are smaller on average, in bytes, costs more than it brings."""

FRESH_S: Final = 1.0
"""So long a connection may wait for a request before a new one can take its place."""


@dataclass(frozen=True)
class ConnectionLimits:
    """What the clients may take of the connections."""

    connections: int
    header_timeout_s: float
    send_timeout_s: float


def limit_connections(
    limits: ConnectionLimits, metrics: ServingMetrics, *, fast: FastAnswers
) -> type[asyncio.Protocol]:
    """Make the protocol for uvicorn's option `http`."""
    shared = {"limits": limits, "metrics": metrics, "fast": fast}
    return type("LimitedConnection", (Connection,), shared)


class Connection(WholeRequests):
    """uvicorn's connection, within limits; who is refused gets an answer and time to read it."""

    limits: ClassVar[ConnectionLimits]
    metrics: ClassVar[ServingMetrics]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.url = b""
        self._is_over = False
        self._waits_since = math.inf  # for a request
        self._since_body = 0  # bytes that came since the last one of a body
        self._pieces = self._body_bytes = 0  # of this request
        self._answered: RequestResponseCycle | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._send_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless there are too many connections that have one."""
        super().connection_made(transport)
        beyond = len(self.connections) - self.limits.connections
        if beyond > SPARE:
            transport.abort()
        elif beyond > 0 and not self._displace():
            message = f"{self.limits.connections} connections are open already; try again later"
            self._refuse(Problem("too_many_connections", message))
        else:
            self._waits_since = self.loop.time()
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every clock, and tell the answer on its way that nobody waits for it."""
        if self._answered is not None:  # uvicorn tells the last request of several only
            self._answered.disconnected = True
            self._answered.message_event.set()
        for timer in (self._head_timer, self._send_timer):
            if timer is not None:
                timer.cancel()
        self._unset_keepalive_if_required()  # uvicorn does so only where nothing went wrong
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came; of what was refused, nothing."""
        if self._is_over:
            return
        self._since_body += len(data)
        super().data_received(data)
        is_over = self._is_over or self.transport.is_closing()
        if is_over:
            pass
        elif self._since_body > MAX_HEAD_BYTES:
            self._refuse(self._too_large())
        elif self._head_timer is None and (self._is_in_head or self._is_idle):
            self._await_head()
        self._begin_whole(is_over=is_over)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._pieces = self._body_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start to answer, unless the head is too large."""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        is_large = self._since_body > MAX_HEAD_BYTES and self._head_bytes() > MAX_HEAD_BYTES
        if is_large or len(self.url) > MAX_URL_BYTES:
            self._refuse(self._too_large())
            raise ValueError("too large")  # ends the parsing
        if (
            len(self.pipeline) >= MOST_AHEAD and not self._is_replaying
        ):  # the answer to another is on its way
            self._is_over = True
            self.transport.abort()
            raise ValueError("too many requests ahead")  # ends the parsing
        self._since_body = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body; the connection ends over one that comes in crumbs."""
        self._since_body = 0
        self._pieces += 1
        self._body_bytes += len(body)
        if self._pieces > MANY_PIECES and self._body_bytes < SMALL_PIECE * self._pieces:
            self._is_over = True
            self.transport.abort()
            raise ValueError("crumbs")  # ends the parsing
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is complete."""
        self._since_body = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP: uvicorn calls this as the parser stops, which says where."""
        said = str(sys.exc_info()[1])
        fix = "; letters beyond ASCII are %XX there" if "url" in said else ""
        self._refuse(Problem("bad_request", f"{msg} {said}{fix}"))

    def pause_writing(self) -> None:
        """The client takes its answer more slowly than it is written."""
        super().pause_writing()
        self._await_sent()

    def resume_writing(self) -> None:
        """The client has taken what was written so far."""
        if self._send_timer is not None and not self.transport.is_closing():
            self._send_timer.cancel()
            self._send_timer = None
        super().resume_writing()

    def on_response_complete(self) -> None:
        """An answer is written; what closes now may still have to be sent."""
        self._waits_since = self.loop.time()
        super().on_response_complete()
        if self.transport.is_closing():
            self._await_sent()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, even if the client has not taken its last answer."""
        super().timeout_keep_alive_handler()
        self._await_sent()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        self._waits_since = math.inf
        super()._start_asgi_task(cycle, app)

    def _displace(self) -> bool:
        """Close the connection that has waited longest for a request, if any waits for long."""
        ours = (one for one in self.connections if isinstance(one, Connection))
        longest = min(ours, key=lambda one: one._waits_since)
        if longest._waits_since > self.loop.time() - FRESH_S:
            return False
        self.connections.discard(longest)
        longest.timeout_keep_alive_handler()
        return True

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _too_large(self) -> Problem:
        if len(self.url) > MAX_URL_BYTES:
            return Problem("url_too_long", f"The URL is longer than {MAX_URL_BYTES} bytes")
        return Problem("headers_too_large", f"The headers are larger than {MAX_HEAD_BYTES} bytes")

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.limits.header_timeout_s, self._miss_head)

    def _miss_head(self) -> None:
        if not self._is_in_head:
            self.transport.close()
            return
        if not self._is_idle:  # what follows a request is not read before that is answered
            self._await_head()
            return
        message = f"The headers were not complete after {self.limits.header_timeout_s:g} s"
        self._refuse(Problem("headers_timeout", message))

    def _refuse(self, problem: Problem) -> None:
        """Answer without a request, and read on for a moment: a reset would undo the answer."""
        if self._is_over:
            return
        self._is_over = True
        self._waits_since = math.inf
        if not self._is_idle and not self._give_up_body():  # another answer is on its way
            self.transport.abort()
            return
        self._unset_keepalive_if_required()
        request_id = fresh_request_id()
        response = problem_response(problem, request_id=request_id)
        self.metrics.observe(
            route="other",
            method="other",
            status=response.status_code,
            seconds=0,
            code=problem.code,
        )
        ours = {"x-request-id": request_id, "connection": "close"}
        lines = header_lines({**response.headers, **SECURITY_HEADERS, **ours})
        status = STATUS_LINE[response.status_code]
        self.transport.write(b"".join((status, lines, b"\r\n", bytes(response.body))))
        self.transport.write_eof()
        self._head_timer = self.loop.call_later(LINGER_S, self.transport.abort)

    def _give_up_body(self) -> bool:
        """Tell the request whose body comes that no more does, unless an answer has begun."""
        cycle = self.cycle
        if cycle is not self._answered or not cycle.more_body or cycle.response_started:
            return False
        cycle.disconnected = True
        cycle.message_event.set()
        return True

    def _await_sent(self) -> None:
        if self._send_timer is None:
            unsent = self._unsent_bytes()
            self._send_timer = self.loop.call_later(
                self.limits.send_timeout_s, self._check_sent, unsent
            )

    def _check_sent(self, before: int) -> None:
        self._send_timer = None
        if not (self.flow.write_paused or self.transport.is_closing()):
            return
        if before - self._unsent_bytes() < MIN_BYTES_A_SECOND * self.limits.send_timeout_s:
            self.transport.abort()
        else:
            self._await_sent()

    def _unsent_bytes(self) -> int:
        """Count what the client has not confirmed: here and in the kernel."""
        socket = self.transport.get_extra_info("socket")
        queued = fcntl.ioctl(socket.fileno(), termios.TIOCOUTQ, bytes(4))
        return self.transport.get_write_buffer_size() + int(struct.unpack("i", queued)[0])
