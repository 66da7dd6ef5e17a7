"""How many requests may be inside at once, and for how long; one more is refused."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from fastapi import Request
from prometheus_client import Gauge
from starlette.requests import ClientDisconnect

from serving.problems import Problem


class Capacity:
    """So many places; who takes one has its body already.

    Crops and pages have places of their own, so that neither waits for the other's.

    Args:
        places: How many.
        limits: The settings that say so, for who finds all taken.
        in_flight: Counts those that are taken.
    """

    def __init__(self, places: int, *, limits: str, in_flight: Gauge) -> None:
        self._places = places
        self._limits = limits
        self._taken = 0
        self._in_flight = in_flight

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place; raises as `take` does."""
        self.take()
        try:
            yield
        finally:
            self.give_back()

    def take(self) -> None:
        """Take a place.

        Raises:
            Problem: All are taken.
        """
        if self._taken >= self._places:
            message = f"Requests inside: {self._taken}, as many as {self._limits} allow"
            raise Problem("busy", f"{message}; try again later")
        self._taken += 1
        self._in_flight.inc()

    def give_back(self) -> None:
        """Give back a place."""
        self._taken -= 1
        self._in_flight.dec()


@asynccontextmanager
async def while_wanted(request: Request, *, timeout_s: float) -> AsyncIterator[None]:
    """Cancel what is done inside when nobody waits for it any more.

    What runs in a thread is finished there, what waits for one never begins.

    Args:
        request: Its body has been received.
        timeout_s: From now, waiting included.

    Raises:
        ClientDisconnect: The client has left.
        Problem: The time is over.
    """
    has_left = False
    deadline = asyncio.timeout(timeout_s)

    async def watch() -> None:
        nonlocal has_left
        while (await request.receive())["type"] != "http.disconnect":
            pass
        has_left = True
        deadline.reschedule(asyncio.get_running_loop().time())

    try:
        async with deadline:
            watcher = asyncio.create_task(watch())
            try:
                yield
            finally:
                watcher.cancel()
    except TimeoutError:
        if has_left:
            raise ClientDisconnect from None
        if not deadline.expired():
            raise
        raise too_late(timeout_s) from None


def too_late(timeout_s: float) -> Problem:
    """Make the refusal of a request that was not read in time."""
    message = (
        f"The whole was not read within {timeout_s:g} s, OCRLINE_PAGES_TIMEOUT_S here; "
        "ask for less at once, or later"
    )
    return Problem("expired", message)
