"""What each minute of a soak gave, and what the gateway's processes held at its end."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.serve.gateway import Gateway
from bench.serve.load_generator.generator import Outcome
from bench.serve.load_generator.load import SteadyLoad
from bench.serve.process_tree import Usage, usage
from bench.serve.served_model import ServedModel

MINUTE_S: Final = 60.0
PROMOTED_AT_S: Final = 15.0
ROLLED_BACK_AT_S: Final = 45.0
"""Half a minute after the promotion, and long enough before the processes are looked at."""


@dataclass(frozen=True)
class Minute:
    """One minute.

    Attributes:
        number: From 1.
        requests: That were answered in it.
        errors: Of them without the answer that was asked for.
        wrong: Of them with another one.
        example: What one of those got; empty if there is none.
        versions: That answered.
        p50_ms: Half of the answers came within this time after they were due.
        p99_ms: As many of a hundred.
        processes: What each held at the end.
    """

    number: int
    requests: int
    errors: int
    wrong: int
    example: str
    versions: tuple[str, ...]
    p50_ms: float
    p99_ms: float
    processes: tuple[Usage, ...]

    @property
    def pss_mib(self) -> float:
        """Memory of all processes."""
        return sum(one.pss_mib for one in self.processes)

    @property
    def descriptors(self) -> int:
        """Open files and sockets of all processes."""
        return sum(one.descriptors for one in self.processes)

    @property
    def threads(self) -> int:
        """Threads of all processes."""
        return sum(one.threads for one in self.processes)


def sample_minutes(
    model: ServedModel, gateway: Gateway, load: SteadyLoad, *, minutes: int
) -> Iterator[Minute]:
    """Let minutes pass under a load, in each a promotion and a rollback."""
    started_s = time.monotonic()
    load.take()
    for number in range(1, minutes + 1):
        minute_s = started_s + (number - 1) * MINUTE_S
        _do_at(minute_s + PROMOTED_AT_S, lambda: _promote(model))
        _do_at(minute_s + ROLLED_BACK_AT_S, lambda: _roll_back(model))
        _do_at(minute_s + MINUTE_S, lambda: None)
        processes = usage(gateway.process)
        if number == minutes:
            load.stop()  # what is not answered yet belongs to the last minute
        yield summarise(number, load.take(), processes)


def summarise(number: int, outcomes: Sequence[Outcome], processes: Sequence[Usage]) -> Minute:
    """Put one minute together."""
    failed = [each for each in outcomes if each.failure or each.again]
    wrong = [each for each in outcomes if each.fault]
    latencies_ms = [(each.done_s - each.due_s) * 1e3 for each in outcomes] or [0.0]
    p50_ms, p99_ms = np.percentile(latencies_ms, [50, 99])
    return Minute(
        number=number,
        requests=len(outcomes),
        errors=len(failed),
        wrong=len(wrong),
        example=next((each.failure or each.fault or "503" for each in [*failed, *wrong]), ""),
        versions=tuple(sorted({each.version for each in outcomes if each.version})),
        p50_ms=float(p50_ms),
        p99_ms=float(p99_ms),
        processes=tuple(processes),
    )


def _do_at(moment_s: float, do: Callable[[], object]) -> None:
    time.sleep(max(0.0, moment_s - time.monotonic()))
    do()


def _promote(model: ServedModel) -> None:
    model.registry.promote(model.name, model.second, reason="soak")


def _roll_back(model: ServedModel) -> None:
    model.registry.rollback(model.name, reason="soak")
