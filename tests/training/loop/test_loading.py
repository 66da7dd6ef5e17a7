"""Batches made ahead of their step: in order, and with their errors."""

import time

import pytest

from training.loop.loading import load_ahead


def test_batches_come_in_order_from_many_threads() -> None:
    def make(step: int) -> int:
        time.sleep(0.002 * (step % 3))
        return 10 * step

    assert list(load_ahead(make, range(3, 20), threads=4)) == [10 * step for step in range(3, 20)]


def test_what_a_batch_fails_of_reaches_the_loop() -> None:
    def make(step: int) -> int:
        raise ValueError(f"step {step}")

    with pytest.raises(ValueError, match="step 3"):
        list(load_ahead(make, range(3, 20), threads=2))
