"""How many questions clients get answered in a while, and how long each takes."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

WARM_UP_S = 0.5

Ask = Callable[[int], object]


@dataclass(frozen=True)
class Load:
    """What one row of the table measured."""

    what: str
    clients: int
    images_per_request: int
    latencies_ms: tuple[float, ...]
    seconds: float

    @property
    def row(self) -> tuple[str, ...]:
        """Cells of the table."""
        rate = len(self.latencies_ms) / self.seconds
        p50, p95 = np.percentile(self.latencies_ms, [50, 95])
        return (
            self.what,
            str(self.clients),
            f"{rate:.1f}",
            f"{rate * self.images_per_request:.1f}",
            f"{p50:.2f}",
            f"{p95:.2f}",
        )


def measure(what: str, asks: Sequence[Ask], *, seconds: float, images: int = 1) -> Load:
    """Let every client ask without a pause, after a warm-up.

    Args:
        what: For the table.
        asks: One client each; they get the number of their question.
        seconds: How long.
        images: In each question.
    """
    start = threading.Barrier(len(asks))

    def work(ask: Ask) -> list[float]:
        start.wait()
        _repeat(ask, seconds=WARM_UP_S)
        return _repeat(ask, seconds=seconds)

    with ThreadPoolExecutor(len(asks)) as clients:
        latencies = [ms for client in clients.map(work, asks) for ms in client]
    return Load(what, len(asks), images, tuple(latencies), seconds)


def _repeat(ask: Ask, *, seconds: float) -> list[float]:
    latencies_ms: list[float] = []
    end = time.perf_counter() + seconds
    while (started := time.perf_counter()) < end:
        ask(len(latencies_ms))
        latencies_ms.append((time.perf_counter() - started) * 1000)
    return latencies_ms
