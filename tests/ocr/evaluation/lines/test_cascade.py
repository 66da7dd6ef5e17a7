"""A cascade's threshold: as many unsure lines as the time allows, and what they gain."""

from pathlib import Path

import pytest

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.evaluation.lines.cascade import CascadeGain, fit_cascade
from tests.ocr.evaluation.lines.timed_reader import Clock, Reader, line_snapshot


@pytest.fixture
def val(tmp_path: Path) -> LineSnapshot:
    return line_snapshot(tmp_path)


def fit(
    snapshot: LineSnapshot, *, time_factor: float, ruined: str = "", step: float = 0.001
) -> tuple[CascadeGain, Reader]:
    """Fit a fast one that misreads A and an accurate one, ten times as slow, that does not."""
    clock = Clock()
    fast = Reader(clock, line_s=1.0, misread={"A": "B"}, step=step)
    accurate = Reader(clock, line_s=10.0, misread=dict.fromkeys(ruined, "?"))
    gain = fit_cascade(fast, accurate, snapshot, time_factor=time_factor, clock=clock)
    return gain, accurate


def test_unsure_lines_are_read_again_while_there_is_time(val: LineSnapshot) -> None:
    gain, accurate = fit(val, time_factor=1 + 25 / 12)  # the time of two lines and a half

    assert accurate.lines == 3
    assert gain.share == 2 / 12
    assert gain.time_factor == pytest.approx(1 + 20 / 12)
    assert gain.accuracy == pytest.approx(8 / 12)
    assert gain.change.value == pytest.approx(2 / 12)
    assert gain.below == pytest.approx(0.4 - 0.001)  # of the next one that is misread
    assert gain.pays


def test_of_equally_sure_lines_all_are_read_again_or_none(val: LineSnapshot) -> None:
    gain, accurate = fit(val, time_factor=1 + 25 / 12, step=0.0)  # of four there is time for two

    assert accurate.lines == 3
    assert (gain.share, gain.time_factor, gain.change.value) == (0.0, 1.0, 0.0)


def test_with_time_for_all_lines_only_the_wholly_sure_are_left(val: LineSnapshot) -> None:
    gain, _ = fit(val, time_factor=50)

    assert (gain.below, gain.share) == (1.0, 1.0)
    assert gain.accuracy + gain.change.value == 1.0


def test_a_second_recogniser_that_spoils_lines_does_not_pay(val: LineSnapshot) -> None:
    gain, _ = fit(val, time_factor=50, ruined="BC")

    assert gain.change.value < 0
    assert not gain.pays


def test_metrics_are_finite_also_of_lines_that_are_all_of_one_document(val: LineSnapshot) -> None:
    gain, _ = fit(val, time_factor=2)

    metrics = gain.metrics

    assert list(metrics)[:3] == ["cascade_share", "cascade_time_factor", "cascade_gain"]
    assert -1 <= metrics["cascade_gain_lower"] <= metrics["cascade_gain"]
    assert metrics["cascade_gain"] <= metrics["cascade_gain_upper"] <= 1
