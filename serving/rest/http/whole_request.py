"""A request that comes whole: it may be answered on the event loop, without a task of its own.

A task, its messages and what awaits them are much of what the gateway does for a small crop.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final, Protocol, cast

from starlette.types import Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from serving.rest.http.plain_http import PlainHttp
from serving.rest.http.whole_head import WholeHead

SOON_S: Final = 0.1
"""Most clients send a body right behind its head; what comes later is waited for in a task."""

Respond = Callable[[int, bytes, bytes], None]
"""Is told the status, the lines of the headers and the body of an answer, once."""


class FastAnswers(Protocol):
    """Answers some requests on the event loop."""

    def takes(self, scope: Scope) -> bool:
        """Say by its head whether a request is answered here if its body comes soon."""

    def answer(self, scope: Scope, body: bytes, respond: Respond) -> Callable[[], None]:
        """Answer a request, now or later; return what is called if its client leaves before."""


class WholeRequests(PlainHttp):
    """uvicorn's connection; what may be answered fast is held back until it is whole."""

    fast: ClassVar[FastAnswers]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._held: tuple[RequestResponseCycle, ASGI3Application] | None = None
        self._held_timer: asyncio.TimerHandle | None = None
        self._leave: Callable[[], None] | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who answers that nobody waits for it."""
        if self._leave is not None:
            self._leave()
            self._leave = None
        super().connection_lost(exc)
        self._begin_held()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        # What waited behind another has come already; who takes answers slowly is waited for.
        may_hold = self._data and not self.flow.write_paused
        if may_hold and self.fast.takes(cast("Scope", cycle.scope)):
            self._held = cycle, app
        else:
            self._start_task(cycle, app)

    def _begin_whole(self, *, is_over: bool) -> None:
        """Answer what was held back, if all of it is there; wait a moment if it is not."""
        if self._held is None:
            return
        cycle, _ = self._held
        if is_over:
            self._begin_held()
        elif not cycle.more_body:
            self._let_go()
            self._answer_fast(cycle)
        elif self._held_timer is None:
            self._held_timer = self.loop.call_later(SOON_S, self._begin_held)

    def _answer_fast(self, cycle: RequestResponseCycle) -> None:
        body, cycle.body = bytes(cycle.body), bytearray()  # which is kept until the next request
        cycle.on_response = lambda: (
            None
        )  # it leads back here, and what lies in circles is kept longer
        respond = partial(self._respond, cycle)
        leave = self.fast.answer(cast("Scope", cycle.scope), body, respond)
        if not cycle.response_complete:
            self._leave = leave
            self.flow.resume_reading()  # else nobody sees that the client of several has left

    def _begin_held(self) -> None:
        """Have a task answer what was held back."""
        if self._held is not None:
            cycle, app = self._held
            self._let_go()
            self._start_task(cycle, app)

    def _start_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        cycle.transport = WholeHead(cycle, self.transport)  # type: ignore[assignment]  # all it uses
        super()._start_asgi_task(cycle, app)

    def _let_go(self) -> None:
        self._held = None
        if self._held_timer is not None:
            self._held_timer.cancel()
            self._held_timer = None

    def _respond(
        self, cycle: RequestResponseCycle, status: int, headers: bytes, body: bytes
    ) -> None:
        self._leave = None
        if cycle.disconnected or self.transport.is_closing():
            return
        cycle.response_started = cycle.response_complete = True
        pieces = [STATUS_LINE[status]]
        for name, value in cycle.default_headers:
            pieces += name, b": ", value, b"\r\n"
        pieces.append(headers)
        pieces.append(b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n")
        pieces.append(body)
        self.transport.write(b"".join(pieces))
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()
