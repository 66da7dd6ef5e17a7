"""Learning rate, validations and progress as functions of the step."""

import pytest

from training.loop.schedule import is_evaluation, learning_rate, log_interval


def test_the_rate_warms_up_and_falls_to_a_hundredth() -> None:
    rates = [learning_rate(s, steps=1000, peak=1.0, warmup_steps=50) for s in range(1000)]

    assert rates[0] == pytest.approx(1 / 50)
    assert max(rates) == rates[49] > 0.99
    assert rates[999] == pytest.approx(0.01, abs=1e-4)
    assert learning_rate(0, steps=10, peak=1.0, warmup_steps=0) == 1.0


@pytest.mark.parametrize(("steps", "evaluations"), [(100, 10), (7, 3), (1000, 7), (5, 1)])
def test_validations_are_spread_and_the_last_is_at_the_end(steps: int, evaluations: int) -> None:
    chosen = [s for s in range(steps) if is_evaluation(s, steps=steps, evaluations=evaluations)]

    assert len(chosen) == evaluations
    assert chosen[-1] == steps - 1


def test_progress_lines_are_frequent_and_not_too_many() -> None:
    assert log_interval(10) == 1
    assert log_interval(4000) == 20
    assert log_interval(1_000_000) == 500
