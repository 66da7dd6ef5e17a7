"""A load: a process that asks at a steady rate, and what came of each request."""

import multiprocessing
import threading
import time
from dataclasses import replace
from types import TracebackType
from typing import Final

from bench.serve.load_generator.generator import Outcome, Plan, Report, generate_load

WARM_UP_S: Final = 1.0


class SteadyLoad:
    """Asks while it is entered.

    Attributes:
        cpu_s: Processor time that the process has taken.
    """

    def __init__(self, plan: Plan) -> None:
        self._ours, self._theirs = multiprocessing.Pipe()
        # Spawned: a fork would have our threads' locks.
        self._process = multiprocessing.get_context("spawn").Process(
            target=generate_load, args=(plan, self._theirs), daemon=True
        )
        self._listener = threading.Thread(target=self._listen, name="outcomes", daemon=True)
        self._changed = threading.Condition()
        self._outcomes: list[Outcome] = []
        self._waiting_since_s = 0.0
        self._is_over = False
        self.cpu_s = 0.0

    def __enter__(self) -> "SteadyLoad":
        self._process.start()
        self._theirs.close()
        self._listener.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ask no more, and return once everything is answered."""
        if self._process.is_alive():
            self._ours.send("stop")
        self._process.join()
        self._listener.join()

    def take(self) -> list[Outcome]:
        """Return what came of requests since the last time."""
        with self._changed:
            taken, self._outcomes = self._outcomes, []
        return taken

    def outcomes(self, *, since_s: float) -> list[Outcome]:
        """Return what came of requests that were due since a moment."""
        with self._changed:
            return [outcome for outcome in self._outcomes if outcome.due_s >= since_s]

    def settle(self) -> None:
        """Wait until everything that was due before now is answered.

        Raises:
            ChildProcessError: Nobody asks any more.
        """
        now_s = time.monotonic()
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or self._waiting_since_s > now_s)
            if self._is_over:
                raise ChildProcessError(f"what asks ended ({self._process.exitcode})")

    def _listen(self) -> None:
        while True:
            try:
                report: Report = self._ours.recv()
            except (EOFError, ConnectionError):
                break
            with self._changed:
                self._outcomes += report.outcomes
                self._waiting_since_s = report.waiting_since_s
                self.cpu_s = report.cpu_s
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()


def measure_capacity(plan: Plan, *, seconds: float) -> float:
    """Return how many requests a second are answered where each connection asks without a pause."""
    with SteadyLoad(replace(plan, rate=0)) as load:
        load.settle()
        start_s = time.monotonic() + WARM_UP_S
        time.sleep(WARM_UP_S + seconds)
        load.stop()
        ends = [outcome.done_s - start_s for outcome in load.outcomes(since_s=0)]
    return sum(0 <= end < seconds for end in ends) / seconds
