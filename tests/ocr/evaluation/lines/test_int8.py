"""What 8 bits cost and save on lines: both read the same, in turns."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.evaluation.int8 import Int8Price
from ocr.evaluation.lines.int8 import weigh_int8_lines
from tests.ocr.evaluation.lines.timed_reader import TEXTS, Clock, Reader, line_snapshot


@pytest.fixture
def val(tmp_path: Path) -> LineSnapshot:
    return line_snapshot(tmp_path)


def weigh(
    snapshot: LineSnapshot, *, before: str = "", after: str = "", line_s: float = 0.5
) -> Int8Price:
    """Weigh a net that misreads some first letters beside one in 8 bits that misreads others."""
    clock = Clock()
    price = weigh_int8_lines(
        Reader(clock, line_s=1.0, misread=dict.fromkeys(before, "?")),
        Reader(clock, line_s=line_s, misread=dict.fromkeys(after, "!")),
        snapshot,
        clock=clock,
    )
    assert price is not None
    return price


def test_what_reads_alike_in_half_the_time_pays(val: LineSnapshot) -> None:
    price = weigh(val)

    assert (price.change.n, price.change.opponent, price.change.change) == (len(TEXTS), 1.0, 0.0)
    assert price.alike == 1.0
    assert price.time == pytest.approx(0.5)
    assert price.pays
    assert price.metrics["int8_change_lower"] < 0  # twelve lines do not prove that nothing is lost


def test_lines_that_are_lost_are_its_price(val: LineSnapshot) -> None:
    price = weigh(val, after="A")

    lost = sum(text[0] == "A" for text in TEXTS)
    assert price.change.change == pytest.approx(-lost / len(TEXTS))
    assert (price.change.gained, price.change.lost) == (0, lost)
    assert price.alike == pytest.approx(1 - lost / len(TEXTS))
    assert not price.pays


def test_lines_misread_in_another_way_are_not_alike_and_cost_nothing(val: LineSnapshot) -> None:
    price = weigh(val, before="A", after="A")

    assert price.change.change == 0.0
    assert price.alike == pytest.approx(1 - sum(text[0] == "A" for text in TEXTS) / len(TEXTS))
    assert price.pays


def test_what_saves_little_does_not_pay(val: LineSnapshot) -> None:
    assert weigh(val, line_s=0.89).pays
    assert not weigh(val, line_s=0.91).pays


def test_what_runs_but_once_is_nobodys_price(val: LineSnapshot) -> None:
    clock = Clock()
    first = Reader(clock, line_s=1.0, misread={})

    weigh_int8_lines(first, Reader(clock, line_s=1.0, misread={}), val, clock=clock)

    assert first.lines == len(TEXTS) + 1


def test_a_split_without_lines_has_no_price() -> None:
    empty = cast(LineSnapshot, SimpleNamespace(images=lambda _: iter(())))
    clock = Clock()
    reader = Reader(clock, line_s=1.0, misread={})

    assert weigh_int8_lines(reader, reader, empty, clock=clock) is None
