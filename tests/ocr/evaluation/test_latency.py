"""Reading times by a clock of our own: what the machine does meets candidate and opponent."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from ocr.evaluation.latency import ROUNDS, measure_latency
from ocr.image.pixels import Image

IMAGES = [np.full((8, 8, 3), number, dtype=np.uint8) for number in range(9)]


@dataclass
class Machine:
    """Time passes only while somebody reads; `load(now)` makes it pass faster."""

    load: Callable[[float], float] = lambda _: 1.0
    now: float = 0.0

    def reader(self, name: str, seconds: float, said: list[str]) -> Callable[[Image], None]:
        def read(_: Image) -> None:
            said.append(name)
            self.now += seconds * self.load(self.now)

        return read

    def clock(self) -> float:
        return self.now


def test_times_and_their_ratio_are_medians() -> None:
    machine, said = Machine(), []  # type: tuple[Machine, list[str]]

    found = measure_latency(
        machine.reader("ours", 0.010, said),
        machine.reader("theirs", 0.020, said),
        IMAGES,
        clock=machine.clock,
    )

    assert found.opponent is not None
    assert found.candidate.median_ms == pytest.approx(10)
    assert found.opponent.p95_ms == pytest.approx(20)
    assert found.ratio == pytest.approx(0.5)
    assert found.images == len(IMAGES)
    assert "processors, load" in found.machine


def test_load_that_comes_and_goes_leaves_the_ratio() -> None:
    machine = Machine(load=lambda now: 8.0 if 0.2 < now < 2.0 else 1.0)

    found = measure_latency(
        machine.reader("ours", 0.010, []),
        machine.reader("theirs", 0.020, []),
        IMAGES,
        clock=machine.clock,
    )

    assert found.ratio == pytest.approx(0.5)


def test_both_are_first_equally_often() -> None:
    machine, said = Machine(), []  # type: tuple[Machine, list[str]]

    measure_latency(
        machine.reader("ours", 0.01, said),
        machine.reader("theirs", 0.01, said),
        IMAGES[:4],
        clock=machine.clock,
    )

    firsts = said[2::2]
    assert len(firsts) == 4 * ROUNDS
    assert firsts.count("ours") == firsts.count("theirs")


def test_slow_readers_are_not_asked_for_ever() -> None:
    machine, said = Machine(), []  # type: tuple[Machine, list[str]]

    found = measure_latency(
        machine.reader("ours", 5, said), None, IMAGES, budget_s=12, clock=machine.clock
    )

    assert len(said) == 1 + 3
    assert (found.images, found.opponent, found.ratio) == (3, None, None)
