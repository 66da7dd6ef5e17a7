"""The way of pages to the workers: one at a time to each, from threads.

Half of the workers may read pages at any time. Each of the others rests after a page for as long
as it has spent on crops meanwhile, so that these keep most of their rate.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from ocr.errors import ProcessDied
from ocr.image.pixels import Image
from serving.workers.worker import START_S, Worker, WorkerDied

TRIES: Final = 3
"""Of a page: a worker may be lost under it, and another one reads it."""


class PageLanes:
    """The workers that may read a page now; safe to share between threads."""

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
        self._changed = threading.Condition()
        self._all: set[Worker] = set()
        self._free: list[Worker] = []
        self._rests_until: dict[Worker, float] = {}
        self._is_closed = False
        self._readers = ThreadPoolExecutor(count, thread_name_prefix="page")

    def add(self, worker: Worker) -> None:
        """Let a worker read pages."""
        with self._changed:
            self._all.add(worker)
            self._free.append(worker)
            self._changed.notify_all()

    def remove(self, worker: Worker) -> None:
        """Forget a worker that ended."""
        with self._changed:
            self._all.discard(worker)
            self._rests_until.pop(worker, None)
            if worker in self._free:
                self._free.remove(worker)

    def close(self) -> None:
        """Begin no more; the workers have been ended."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._readers.shutdown(wait=False, cancel_futures=True)

    def reads(self, worker: Worker) -> bool:
        """Whether a worker reads a page."""
        return worker not in self._free

    async def read(self, model: str, image: Image, options: Mapping[str, bool]) -> dict[str, Any]:
        """Have a (H, W, 3) BGR page read. Raises as `Worker.read_page`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, model, image, options)

    def _read(self, model: str, image: Image, options: Mapping[str, bool]) -> dict[str, Any]:
        for left in reversed(range(TRIES)):
            worker = self._take(model)
            threads = self._threads if self._is_alone() else 1
            before_s = self._crops_s(worker)
            try:
                return worker.read_page(
                    model, image, options, threads=threads, timeout_s=self._timeout_s
                )
            except ProcessDied as error:
                if isinstance(error, WorkerDied):  # and not an engine that is replaced inside it
                    self.remove(worker)
                if not left:
                    raise
            finally:
                self._give_back(worker, rest_s=self._crops_s(worker) - before_s)
        raise AssertionError

    def _is_alone(self) -> bool:
        """Whether nothing else is being read."""
        with self._changed:
            workers = list(self._all)
            is_lone_page = len(self._free) >= len(workers) - 1
        return is_lone_page and not any(map(self._is_busy, workers))

    def _take(self, model: str) -> Worker:
        with self._changed:
            while True:
                able = [worker for worker in self._free if model in worker.models]
                worker = min(able, key=self._rank, default=None)
                rest_s = self._rest_s(worker) if worker and self._are_half_reading() else 0.0
                if worker and not rest_s:
                    self._free.remove(worker)
                    return worker
                is_changed = self._changed.wait(rest_s or START_S)
                if self._is_closed or not (is_changed or rest_s):
                    raise ProcessDied("No process that reads is up")

    def _rank(self, worker: Worker) -> tuple[float, bool]:
        return self._rest_s(worker), self._is_busy(worker)

    def _rest_s(self, worker: Worker) -> float:
        """Return how long a worker is to read no page yet."""
        return max(0.0, self._rests_until.get(worker, 0.0) - time.monotonic())

    def _are_half_reading(self) -> bool:
        """Whether half of the workers, one at least, read a page."""
        return len(self._all) - len(self._free) >= max(1, len(self._all) // 2)

    def _give_back(self, worker: Worker, *, rest_s: float) -> None:
        with self._changed:
            if worker in self._all:
                self._rests_until[worker] = time.monotonic() + rest_s
                self._free.append(worker)
                self._changed.notify_all()
