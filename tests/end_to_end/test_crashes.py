"""Rows of the crash table: one part of a stack is killed while a run is under way."""

from collections.abc import Iterator
from itertools import count

import pytest

from bench.operations.stack import Stack, running_stack
from bench.operations.trial import Moment, Target, try_kill

# A stack without power is in test_stack.py, a killed run in test_retrain.py.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
NUMBERS = count(1)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest.mark.parametrize(
    ("target", "moment", "state"),
    [
        ("flow", "preparing", "Crashed"),
        ("worker", "preparing", "Crashed"),
        ("server", "preparing", "Completed"),
        ("job", "training", "Completed"),
        ("worker and flow", "training", "Crashed"),
    ],
)
def test_a_part_that_is_killed_leaves_nothing_and_the_run_can_be_had(
    stack: Stack, target: Target, moment: Moment, state: str
) -> None:
    outcome = try_kill(stack, target, moment, next(NUMBERS))

    assert outcome.state == state
    assert outcome.again in ("", "Completed")
    assert outcome.leftovers == 0
