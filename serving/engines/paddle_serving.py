"""Runs a net in processes of Paddle Serving, watched by real inferences and replaced when lost."""

import logging
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData, OcrError, ProcessDied
from serving.engines.pipeline_process import PipelineProcess

LOG = logging.getLogger("ocrline.serving")

PROBE_S = 2.0
"""Between looks at idle processes."""
ANSWER_S = 10.0
MEGAPIXEL_S = 10.0
"""Longest time of a batch, and more for each megapixel of it; who takes longer hangs. The slowest
net that was measured, on a busy machine, took 4 s a megapixel."""
PROBE_ANSWER_S = 10.0
"""Longest time of a probe, one image: a sound process of a busy machine may need seconds for it."""
TRIES = 2
"""Of a batch: a process may be lost under it, and another one reads it."""


class PaddleServingNet:
    """Processes of one net, each lent to one call at a time; closed when nobody holds this.

    A process is replaced when it ends, does not answer in time, or gives another version's answer.
    What a process was lost under is tried once more elsewhere: the net keeps no state.
    """

    def __init__(self, start: Callable[[], PipelineProcess], *, processes: int) -> None:
        """Start them and wait until all take calls.

        Args:
            start: Starts one.
            processes: How many, so many calls run at the same time; the others wait.

        Raises:
            BadData: The model does not load.
            ProcessDied: Its processes need too long.
        """
        self._crew = _Crew(start, processes)
        self._close = weakref.finalize(self, self._crew.close)
        try:
            self._crew.begin()
        except BaseException:
            self._close()
            raise

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the net's one output.

        Raises:
            ProcessDied: No process answers.
            BadData: The net does not take such a batch.
        """
        return self._crew.run(batch)

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return self._crew.pids


class _Crew:
    """What `PaddleServingNet` holds: its own threads hold this, and not that."""

    def __init__(self, start: Callable[[], PipelineProcess], count: int) -> None:
        self._start = start
        self._count = count
        self._idle: SimpleQueue[PipelineProcess] = SimpleQueue()
        self._all: set[PipelineProcess] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._probe: NDArray[np.float32] | None = None

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._all]

    def begin(self) -> None:
        with ThreadPoolExecutor(self._count) as starters:
            for started in [starters.submit(self._add) for _ in range(self._count)]:
                started.result()
        threading.Thread(target=self._watch, name="paddle-serving", daemon=True).start()

    def run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        for left in reversed(range(TRIES)):
            process = self._take()
            try:
                output = process.run(batch, timeout_s=_longest_s(batch))
            except ProcessDied as error:
                self._replace(process, why=str(error))
                if not left:
                    raise
            except BadData:
                self._idle.put(process)
                raise
            else:
                self._idle.put(process)
                if self._probe is None:
                    self._probe = batch[:1].copy()
                return output
        raise AssertionError

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            everybody, self._all = self._all, set()
        for process in everybody:
            process.end()

    def _take(self) -> PipelineProcess:
        try:
            return self._idle.get(timeout=ANSWER_S * TRIES)
        except Empty:
            raise ProcessDied("No process of Paddle Serving is free") from None

    def _add(self) -> None:
        process = self._start()
        with self._lock:
            self._all.add(process)
        if self._closed.is_set():  # who closes may not have seen it
            self._forget(process)
            return
        try:
            process.wait_until_up()
        except OcrError:
            self._forget(process)
            raise
        if self._closed.is_set():
            self._forget(process)
        else:
            self._idle.put(process)

    def _forget(self, process: PipelineProcess) -> None:
        with self._lock:
            self._all.discard(process)
        process.end()

    def _replace(self, process: PipelineProcess, *, why: str) -> None:
        LOG.error("a process of Paddle Serving is replaced: %s", why)
        self._forget(process)
        # No executor's: Python would wait for it when it ends, and only then close this.
        threading.Thread(target=self._add_again, name="paddle-serving", daemon=True).start()

    def _add_again(self) -> None:
        """Start another one until one is up: it ran before, so what hinders it may pass."""
        while not self._closed.is_set():
            try:
                self._add()
            except (OcrError, OSError) as error:
                if not self._closed.is_set():
                    LOG.error("%s", error)
                self._closed.wait(PROBE_S)
            else:
                return

    def _watch(self) -> None:
        """Look whether idle processes still read; the busy ones are looked at by who waits."""
        while not self._closed.wait(PROBE_S):
            for _ in range(self._count):
                try:
                    process = self._idle.get_nowait()
                except Empty:
                    break
                self._look_at(process)

    def _look_at(self, process: PipelineProcess) -> None:
        try:
            if not process.is_running:
                raise ProcessDied("it ended")
            if self._probe is not None:
                process.run(self._probe, timeout_s=PROBE_ANSWER_S)
        except OcrError as error:  # also where it refuses what it took before
            self._replace(process, why=str(error))
        else:
            self._idle.put(process)


def _longest_s(batch: NDArray[np.float32]) -> float:
    megapixels: float = batch.size / batch.shape[1] / 1e6
    return ANSWER_S + MEGAPIXEL_S * megapixels
