"""Work on batches over several processes, the results in the order of the batches.

Threads do not pay for small crops: two of them reach 0.7 times the speed of one, the interpreter
lock changing hands several times per image.
"""

import ctypes
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from types import TracebackType
from typing import Literal, TypeVar

import cv2

from ocr.errors import ProcessDied
from ocr.processors import count_processors

BatchT = TypeVar("BatchT")
ResultT = TypeVar("ResultT")

_MAX_PROCESSES = 4
_PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None).prctl  # found here: a forked process takes no lock of the linker


class ProcessPool:
    """Processes that are started by the first work and end with the `with` block.

    Args:
        processes: How many work at once; 1 is this one.
        is_forked: Whether they begin as copies of this one, which takes no time, but hangs where
            another thread of ours holds a lock that they need; else they begin afresh, in seconds.
    """

    def __init__(self, processes: int = 1, *, is_forked: bool = True) -> None:
        self._processes = processes
        self._start: Literal["fork", "spawn"] = "fork" if is_forked else "spawn"
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def map_in_order(
        self, work: Callable[[BatchT], ResultT], batches: Iterable[BatchT]
    ) -> Iterator[ResultT]:
        """`map` that takes no more batches than it needs; the first are begun at once.

        Args:
            work: A function that can be pickled.
            batches: What it is called with.

        Raises:
            ProcessDied: While the results are gone through.
        """
        if self._processes == 1:
            return map(work, batches)
        source = iter(batches)
        executor = self._started()
        begun = (executor.submit(work, batch) for batch in source)
        return _results(deque(islice(begun, 2 * self._processes)), begun)

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # Usually forked, because a spawned process imports the caller's main module first.
            self._executor = ProcessPoolExecutor(
                self._processes,
                mp_context=multiprocessing.get_context(self._start),
                initializer=_start_process,
                initargs=(os.getpid(),),
            )
        return self._executor


def open_pool(items: int, *, worth_a_pool: int) -> ProcessPool:
    """Open a pool for so many items, of which `worth_a_pool` are worth more than one process."""
    if items < worth_a_pool:
        return ProcessPool()
    return ProcessPool(min(_MAX_PROCESSES, count_processors()))


def _start_process(parent: int) -> None:
    """Work in one thread, and end with the process that started us, however it dies (Linux)."""
    cv2.setNumThreads(0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked: nobody would end us
        os._exit(1)


def _results(
    waiting: deque[Future[ResultT]], begun: Iterator[Future[ResultT]]
) -> Iterator[ResultT]:
    while waiting:
        try:
            result = waiting.popleft().result()
        except BrokenProcessPool as error:
            raise ProcessDied(
                "a process that worked on images was ended from outside, most likely for want of "
                "memory; free some, or lower limits.max_pixels, and run it again"
            ) from error
        waiting.extend(islice(begun, 1))
        yield result
