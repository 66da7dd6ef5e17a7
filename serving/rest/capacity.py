"""How many requests may be inside at once, and for how long; one more is refused."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from fastapi import Request
from prometheus_client import Gauge
from starlette.requests import ClientDisconnect

from serving.problems import Problem

Answer = TypeVar("Answer")


class Capacity:
    """Worker threads, and places to wait for one; who takes a place has its body already.

    Crops and pages have one each, so that neither waits for the other.
    """

    def __init__(self, *, concurrency: int, queue: int, in_flight: Gauge) -> None:
        self._workers = ThreadPoolExecutor(concurrency, thread_name_prefix="recognise")
        self._places = concurrency + queue
        self._taken = 0
        self._in_flight = in_flight

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place.

        Raises:
            Problem: All are taken.
        """
        if self._taken >= self._places:
            raise Problem("busy", f"{self._taken} requests are waiting already; try again later")
        self._taken += 1
        self._in_flight.inc()
        try:
            yield
        finally:
            self._taken -= 1
            self._in_flight.dec()

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run work in a worker thread, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, work)

    def close(self) -> None:
        """Let the workers end what they do; what waits is never begun."""
        self._workers.shutdown(wait=True, cancel_futures=True)


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
        raise Problem("expired", f"There was no answer within {timeout_s:g} s") from None
