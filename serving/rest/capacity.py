"""How many requests may be inside at once; one more is refused, not kept waiting for ever."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from prometheus_client import Gauge

from serving.problems import Problem

Answer = TypeVar("Answer")


class Capacity:
    """Worker threads, and places to wait for one; who takes a place has its body already."""

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
        self._in_flight.set(self._taken)
        try:
            yield
        finally:
            self._taken -= 1
            self._in_flight.set(self._taken)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run work in a worker thread, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, work)

    def close(self) -> None:
        """Let the workers end after the work they have."""
        self._workers.shutdown(wait=True)
