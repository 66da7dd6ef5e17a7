"""Batches made ahead of their step, in background threads."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

AHEAD = 2
"""Batches prepared in advance per loader thread."""

Made = TypeVar("Made")


def load_ahead(make: Callable[[int], Made], steps: range, *, threads: int) -> Iterator[Made]:
    """Yield the batches of the steps in order, made in background threads.

    Args:
        make: Makes the batch of a step; its errors surface here.
        steps: The steps.
        threads: Threads that make batches.
    """
    waiting: deque[Future[Made]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="loader")
    try:
        for step in steps:
            waiting.append(pool.submit(make, step))
            if len(waiting) > AHEAD * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
