"""The processors that readings share: one for each of many, all of them for a lone one."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


class Cores:
    """Counts who reads, and lends idle cores; safe to share between threads and models.

    Nobody ever waits for a core: who reads has one, and gets more only while they are idle.
    """

    def __init__(self, count: int) -> None:
        """Begin with all idle."""
        self.count = count
        self._busy = 0
        self._lock = threading.Lock()
        self._helpers = ThreadPoolExecutor(max(1, count - 1), thread_name_prefix="core")

    @contextmanager
    def all_if_idle(self) -> Iterator[int]:
        """Hold every core if all are idle, one otherwise; yields how many."""
        with self._lock:
            held = self.count if self._busy == 0 else 1
            self._busy += held
        try:
            yield held
        finally:
            self._add(-held)

    @contextmanager
    def used_elsewhere(self, count: int) -> Iterator[None]:
        """Count so many as busy meanwhile: other processes read on them."""
        self._add(count)
        try:
            yield
        finally:
            self._add(-count)

    def each(
        self, work: Callable[[In], Out], items: Sequence[In]
    ) -> Generator[tuple[In, Out], None, None]:
        """Yield each item with what the work made of it, in no order.

        The caller's thread works, and threads on idle cores help it, the last items first.
        """
        waiting, done = deque(items), deque[tuple[In, Out]]()
        self._add(1)
        helpers = [
            self._helpers.submit(self._help, work, waiting, done)
            for _ in range(self._take_idle(at_most=len(items) - 1))
        ]
        try:
            while waiting or not all(helper.done() for helper in helpers) or done:
                if done:
                    yield done.popleft()
                elif (item := _pop(waiting)) is not None:
                    yield item[0], work(item[0])
                else:
                    _wait(helpers)
            for helper in helpers:
                helper.result()
        finally:
            waiting.clear()
            _wait(helpers)
            self._add(-1)

    def _help(
        self,
        work: Callable[[In], Out],
        waiting: deque[In],
        done: deque[tuple[In, Out]],
    ) -> None:
        """Work until nothing waits, or somebody else needs the core."""
        try:
            while self._busy <= self.count and (item := _pop(waiting)) is not None:
                done.append((item[0], work(item[0])))
        finally:
            self._add(-1)

    def _take_idle(self, *, at_most: int) -> int:
        with self._lock:
            taken = max(0, min(at_most, self.count - self._busy))
            self._busy += taken
        return taken

    def _add(self, count: int) -> None:
        with self._lock:
            self._busy += count


def _pop(waiting: deque[In]) -> tuple[In] | None:
    try:
        return (waiting.pop(),)
    except IndexError:  # another thread was faster
        return None


def _wait(helpers: Sequence[Future[None]]) -> None:
    for helper in helpers:
        helper.exception()


ONE_CORE = Cores(1)
