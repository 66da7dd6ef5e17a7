"""Ends a training that cannot go on: no progress, a signal, a lost parent, a bad loss."""

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import psutil

from ocr.errors import OcrError, TrainingFailed

POLL_S = 0.5
GRACE_S = 15
STOPPING = (signal.SIGTERM, signal.SIGINT)
"""A terminal sends the latter to all processes of a run when somebody types Ctrl-C."""
SKIPPED_STEPS = 30
"""Steps in a row that a loss scale may skip; it falls meanwhile from 2^15 to 2^-15."""


class Stopped(OcrError):
    """A training that was asked to leave and kept its work; run it again to go on."""

    exit_code = 128 + signal.SIGTERM


class Stalled(TrainingFailed):
    """A training of which no step came to its end for too long."""


class StopRequest:
    """Whether SIGTERM or SIGINT arrived; the loop looks after every step."""

    def __init__(self) -> None:
        self.at: float | None = None

    def listen(self) -> None:
        """Take both over from the default of dying at once."""
        signal.signal(signal.SIGTERM, self._note)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a shell's background
            signal.signal(signal.SIGINT, self._note)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take both over for a while."""
        before = [(number, signal.getsignal(number)) for number in STOPPING]
        self.listen()
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.at = self.at or time.monotonic()


class Watchdog:
    """A thread that ends the process hard when it stops moving or its parent is gone.

    It must not wait for the main thread, which may hang in a collective operation or in a
    loader, so it leaves by os._exit.
    """

    def __init__(
        self,
        *,
        timeout_s: float,
        stop: StopRequest,
        parents: Sequence[int],
        fail: Callable[[OcrError], None],
    ) -> None:
        """Start watching.

        Args:
            timeout_s: Longest time without a beat; 0: any.
            stop: Whether SIGTERM arrived; the process may then stay for GRACE_S.
            parents: Processes without which this one has no purpose.
            fail: Called with the error before the process ends.
        """
        self._timeout_s = timeout_s
        self._stop = stop
        self._parents = parents
        self._fail = fail
        self._beat = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    @property
    def asked_to_stop(self) -> bool:
        """Whether SIGTERM arrived."""
        return self._stop.at is not None

    def beat(self) -> None:
        """Note progress."""
        self._beat = time.monotonic()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Expect no beat for a while: work that takes long and cannot hang."""
        timeout_s, self._timeout_s = self._timeout_s, 0
        try:
            yield
        finally:
            self.beat()
            self._timeout_s = timeout_s

    def close(self) -> None:
        """Stop watching."""
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(POLL_S):
            error = self._find_reason()
            if error is not None:
                self._fail(error)
                print(f"error: {error}", file=sys.stderr, flush=True)  # noqa: T201
                os._exit(error.exit_code)

    def _find_reason(self) -> OcrError | None:
        now, timeout_s = time.monotonic(), self._timeout_s  # which another thread may set
        if timeout_s and now - self._beat > timeout_s:
            return Stalled(
                f"No step finished for {timeout_s:g} s (no_progress_timeout_s): "
                "a hung loader, device or rank"
            )
        if self._stop.at is not None and now - self._stop.at > GRACE_S:
            return Stopped("Asked to stop, and what was under way did not end")
        if not all(is_alive(parent) for parent in self._parents):
            return Stopped("The process that started this one is gone")
        return None


class LossCheck:
    """Refuses losses that are no numbers; where a loss scale can fall, not the first of a row."""

    def __init__(self, *, skips: int) -> None:
        """Tolerate so many in a row, 0 without a loss scale."""
        self._skips = skips
        self._row = 0

    def keep_finite(self, losses: Sequence[float], *, last_step: int) -> list[float]:
        """Return the losses that are numbers.

        Args:
            losses: Losses of successive steps.
            last_step: The step of the last one, from 1.

        Raises:
            TrainingFailed: Naming the steps.
        """
        for step, loss in enumerate(losses, start=last_step - len(losses) + 1):
            self._row = 0 if math.isfinite(loss) else self._row + 1
            if self._row > self._skips:
                first = step - self._skips
                steps = f"from step {first} to step {step}" if self._skips else f"at step {step}"
                raise TrainingFailed(
                    f"The loss is {loss} {steps}: lower learning_rate or switch amp off"
                )
        return [loss for loss in losses if math.isfinite(loss)]


def is_alive(process: int) -> bool:
    """Say whether a process has not ended, whether or not anybody asked for its status."""
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
