import pytest

from bench.serve.faults.trial import Fault, Trial, judge
from bench.serve.load_generator.generator import Outcome

RIGHT = Outcome(due_s=10.0, done_s=10.01, failure="", fault="", version="v1", again=0)
LOST = RIGHT._replace(failure="ConnectionRefusedError")
WRONG = RIGHT._replace(fault="reads another")
LATER = RIGHT._replace(done_s=12.5, again=2)


def trial(*steady: Outcome, happened: str = "replaced", **allowed: bool) -> Trial:
    fault = Fault("killed worker", lambda _: happened, "replaced", **allowed)
    return judge(fault, happened, steady, started_s=10.0, over_s=11.0)


def test_fault_that_nobody_notices_is_over_when_it_says_so() -> None:
    found = trial(RIGHT, RIGHT)

    assert (found.lost, found.again, found.seconds, found.faults) == (0, 0, 1.0, ())


def test_other_end_than_expected_is_told() -> None:
    assert trial(RIGHT, happened="goes on").faults == ("expected: replaced",)


@pytest.mark.parametrize(
    ("steady", "said"),
    [
        (LOST, "1 lost: ConnectionRefusedError"),
        (WRONG, "1 lost: reads another"),
        (LATER, "1 were told to come again"),
    ],
)
def test_steady_request_that_was_hindered_is_told(steady: Outcome, said: str) -> None:
    assert trial(RIGHT, steady).faults == (said,)


def test_fault_that_may_hinder_lasts_until_it_does_not() -> None:
    found = trial(LOST, LATER, RIGHT, may_lose=True, may_delay=True)

    assert (found.lost, found.again, found.seconds, found.faults) == (1, 1, 2.5, ())
