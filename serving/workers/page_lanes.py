"""The way of pages to the workers: one at a time to each; a page that waits is no work yet.

Half of the workers, rounded down, may read pages at any time. Each of the others rests after a page
for as long as it has spent on crops meanwhile, so that these keep most of their rate; where no more
of them come, the rest is over.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from ocr.errors import ProcessDied
from ocr.image.pixels import Image
from serving.workers.worker import START_S, Worker, WorkerDied

TRIES: Final = 3
"""Of a page: a worker may be lost under it, and another one reads it."""
QUIET_S: Final = 0.1
"""A worker that reads no crop for so long is not kept from pages for their sake."""


@dataclass(slots=True)
class Rest:
    """How long a worker is to read no page, and whether crops still ask for that.

    Attributes:
        until: As `time.monotonic` tells it.
        crops_s: Seconds it had spent on crops at the last look.
        busy_at: When it was last seen to be busy with them.
    """

    until: float
    crops_s: float
    busy_at: float


class PageLanes:
    """The workers that may read a page now; for the event loop alone."""

    def __init__(
        self,
        count: int,
        *,
        threads: int,
        timeout_s: float,
        is_busy: Callable[[Worker], bool],
        crops_s: Callable[[Worker], float],
    ) -> None:
        """Begin with no worker.

        Args:
            count: Pages that are read at the same time.
            threads: Of a page that is read while nothing else is.
            timeout_s: For one page: nobody waits for it any longer.
            is_busy: Whether a worker reads crops.
            crops_s: Seconds that a worker has spent on crops so far.
        """
        self._threads = threads
        self._timeout_s = timeout_s
        self._is_busy = is_busy
        self._crops_s = crops_s
        self._all: set[Worker] = set()
        self._free: list[Worker] = []
        self._rests: dict[Worker, Rest] = {}
        self._waiting: dict[asyncio.Future[Worker], str] = {}  # their models, who came first first
        self._looks: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._readers = ThreadPoolExecutor(count, thread_name_prefix="page")

    def add(self, worker: Worker) -> None:
        """Let a worker read pages."""
        self._all.add(worker)
        self._free.append(worker)
        self._hand_out()

    def remove(self, worker: Worker) -> None:
        """Forget a worker that ended."""
        self._all.discard(worker)
        self._rests.pop(worker, None)
        if worker in self._free:
            self._free.remove(worker)
        self._hand_out()

    def close(self) -> None:
        """Begin no more; the workers have been ended."""
        self._is_closed = True
        if self._looks is not None:
            self._looks.cancel()
        waiting, self._waiting = self._waiting, {}
        for place in waiting:
            place.cancel()
        self._readers.shutdown(wait=False, cancel_futures=True)

    def give_up(self, model: str) -> None:
        """Refuse the pages that wait for a model, which no worker has any more."""
        for place, asked in self._waiting.items():
            if asked == model and not place.done():
                place.set_exception(
                    ProcessDied(f"No process has {model.partition('#')[0]} any more")
                )

    def reads(self, worker: Worker) -> bool:
        """Whether a worker reads a page."""
        return worker not in self._free

    async def read(self, model: str, image: Image, options: Mapping[str, float]) -> dict[str, Any]:
        """Have a (H, W, 3) BGR page read; cancelled before it is begun, it never is.

        Raises as `Worker.read_page`.
        """
        for left in reversed(range(TRIES)):
            worker = await self._take(model, is_first=left < TRIES - 1)
            threads = self._threads if self._is_alone() else 1
            before_s = self._crops_s(worker)
            reading = self._readers.submit(
                worker.read_page, model, image, options, threads=threads, timeout_s=self._timeout_s
            )
            self._give_back_after(reading, worker, before_s)
            try:
                return await asyncio.wrap_future(reading)
            except ProcessDied:
                if not left:
                    raise
        raise AssertionError

    def _is_alone(self) -> bool:
        """Whether nothing else is being read."""
        is_lone_page = len(self._free) >= len(self._all) - 1
        return is_lone_page and not any(map(self._is_busy, self._all))

    async def _take(self, model: str, *, is_first: bool) -> Worker:
        """Wait for a worker; first of all where one was lost under the page.

        Raises:
            ProcessDied: There is none that has the model, and none has come up either.
        """
        place: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting[place] = model
        if is_first:
            self._waiting = {place: model, **self._waiting}
        self._hand_out()
        try:
            while not self._is_closed:
                if place.done():
                    return place.result()
                await asyncio.wait((place,), timeout=START_S)
                if not (place.done() or any(model in worker.models for worker in self._all)):
                    break
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.result() in self._all:
                self._free.append(place.result())
                self._hand_out()
            raise
        finally:
            self._waiting.pop(place, None)
        raise ProcessDied("No process that reads is up")

    def _hand_out(self) -> None:
        """Give workers to whoever waits, who came first first."""
        if self._looks is not None:
            self._looks.cancel()
            self._looks = None
        for place, model in list(self._waiting.items()):
            if worker := self._choose(model):
                del self._waiting[place]
                self._free.remove(worker)
                place.set_result(worker)
        if self._waiting and self._free and not self._is_closed:  # it may be a rest that ends
            self._looks = asyncio.get_running_loop().call_later(QUIET_S, self._hand_out)

    def _choose(self, model: str) -> Worker | None:
        """Choose a worker to read a page now."""
        able = [worker for worker in self._free if model in worker.models]
        rested = [worker for worker in able if not self._is_resting(worker)]
        if self._are_half_reading():
            able = rested
        return min(rested or able, key=self._rank, default=None)

    def _rank(self, worker: Worker) -> tuple[float, bool]:
        rest = self._rests.get(worker)
        rest_s = max(0.0, rest.until - time.monotonic()) if rest else 0.0
        return rest_s, self._is_busy(worker)

    def _is_resting(self, worker: Worker) -> bool:
        """Whether a worker is to read no page yet, for crops that still come."""
        rest, now = self._rests.get(worker), time.monotonic()
        if rest is None:
            return False
        crops_s = self._crops_s(worker)
        if crops_s != rest.crops_s or self._is_busy(worker):
            rest.crops_s, rest.busy_at = crops_s, now
        if now < min(rest.until, rest.busy_at + QUIET_S):
            return True
        del self._rests[worker]
        return False

    def _are_half_reading(self) -> bool:
        """Whether half of the workers, one at least, read a page."""
        return len(self._all) - len(self._free) >= max(1, len(self._all) // 2)

    def _give_back_after(
        self, reading: "Future[dict[str, Any]]", worker: Worker, before_s: float
    ) -> None:
        """Let a worker read others when a page ends, whether anybody still waits for it or not."""
        loop = asyncio.get_running_loop()

        def end(_: "Future[dict[str, Any]]") -> None:
            with suppress(RuntimeError):  # the loop is closed, and nothing is read any more
                loop.call_soon_threadsafe(self._give_back, reading, worker, before_s)

        reading.add_done_callback(end)

    def _give_back(
        self, reading: "Future[dict[str, Any]]", worker: Worker, before_s: float
    ) -> None:
        if not reading.cancelled() and isinstance(reading.exception(), WorkerDied):
            self.remove(worker)  # an engine that is replaced inside it costs nothing
        elif worker in self._all:
            now, crops_s = time.monotonic(), self._crops_s(worker)
            self._rests[worker] = Rest(now + crops_s - before_s, crops_s, now)
            self._free.append(worker)
            self._hand_out()
