"""How long a candidate takes for an image, beside its opponent at the same time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from time import perf_counter
from typing import Final

import numpy as np

from ocr.image.pixels import Image
from ocr.processors import describe_processors

ROUNDS: Final = 3
BUDGET_S: Final = 20.0

Read = Callable[[Image], object]


@dataclass(frozen=True)
class ReadingTime:
    """Milliseconds for an image read alone: the median, and the 95th percentile."""

    median_ms: float
    p95_ms: float


@dataclass(frozen=True)
class Latency:
    """What was measured in one go, and where.

    Attributes:
        candidate: The candidate's time; ``opponent``: its opponent's, None without one.
        ratio: Median of candidate by opponent, of one image read by both at once; None without one.
        images: So many different ones.
        machine: Its processors and how busy they were.
        measured: When, ISO 8601.
    """

    candidate: ReadingTime
    opponent: ReadingTime | None
    ratio: float | None
    images: int
    machine: str
    measured: str


def measure_latency(
    candidate: Read,
    opponent: Read | None,
    images: Sequence[Image],
    *,
    budget_s: float = BUDGET_S,
    clock: Callable[[], float] = perf_counter,
) -> Latency:
    """Read images one by one, several rounds, candidate and opponent in turns.

    Each reads the same image at the same time, first on every other turn, after a warm-up outside
    the clock: what else the machine does meets both, and hardly changes their ratio.

    Args:
        candidate: Reads an image (H, W, 3) BGR.
        opponent: The same; None: nobody reads beside it.
        images: At least one.
        budget_s: No further image is begun after so many seconds.
        clock: Returns seconds.
    """
    readers = [candidate] if opponent is None else [candidate, opponent]
    for read in readers:
        read(images[0])
    machine = describe_processors()
    times: list[list[list[float]]] = []  # by image, of each round those of every reader
    started = clock()
    for turn, (_, at) in enumerate(product(range(ROUNDS), range(len(images)))):
        if turn and clock() - started > budget_s:
            break
        if at == len(times):
            times.append([])
        times[at].append(_take_turns(readers, images[at], is_odd=turn % 2 == 1, clock=clock))
    pairs = np.array([each for rounds in times for each in rounds])
    by_image = np.array([np.median(rounds, axis=0) for rounds in times])
    ours, *theirs = (_summarise(column) for column in by_image.T)
    return Latency(
        candidate=ours,
        opponent=theirs[0] if theirs else None,
        ratio=float(np.median(pairs[:, 0] / pairs[:, 1])) if theirs else None,
        images=len(times),
        machine=machine,
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _take_turns(
    readers: Sequence[Read], image: Image, *, is_odd: bool, clock: Callable[[], float]
) -> list[float]:
    """Return the seconds that each reader takes for an image, in the readers' order."""
    seconds = [0.0] * len(readers)
    order = range(len(readers))
    for number in reversed(order) if is_odd else order:
        started = clock()
        readers[number](image)
        seconds[number] = clock() - started
    return seconds


def _summarise(seconds: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> ReadingTime:
    return ReadingTime(
        median_ms=1000 * float(np.median(seconds)), p95_ms=1000 * float(np.quantile(seconds, 0.95))
    )
