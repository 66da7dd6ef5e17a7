"""What may be taken in a minute: who waits as long as is said may ask again, and no more often."""

import pytest

from serving.access.allowance import Allowance
from serving.problems import Problem
from tests.serving.conftest import Clock

PER_MINUTE = 7


def spend(allowance: Allowance) -> int:
    """Take one after another; return after how many seconds the refusal says to come again."""
    for _ in range(PER_MINUTE):
        allowance.take(1, name="orders")
    with pytest.raises(Problem, match=f"orders may ask {PER_MINUTE} times a minute") as refused:
        allowance.take(1, name="orders")
    return int(refused.value.headers["Retry-After"])


def test_who_waits_as_long_as_is_said_may_ask_again(clock: Clock) -> None:
    allowance = Allowance(PER_MINUTE, what="ask {per_minute} times")

    wait_s = spend(allowance)
    clock.now_s += wait_s
    allowance.take(1, name="orders")

    assert wait_s == 9  # one comes every 8.6 s


def test_no_more_than_a_minutes_worth_is_saved_up(clock: Clock) -> None:
    allowance = Allowance(PER_MINUTE, what="ask {per_minute} times")

    clock.now_s += 3600

    assert spend(allowance) == 9


def test_what_is_given_back_may_be_taken_at_once(clock: Clock) -> None:
    allowance = Allowance(60, what="send {per_minute} bytes")
    allowance.take(60, name="orders")

    allowance.give_back(20)
    clock.now_s += 10
    allowance.take(30, name="orders")

    with pytest.raises(Problem):
        allowance.take(1, name="orders")
