"""Two schedules and a manual run at once, on a real server with a real worker."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from prefect.client.orchestration import SyncPrefectClient

from bench.operations.collisions import Outcome, WhenBusy, collide, machine, tabulate

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def client() -> Iterator[SyncPrefectClient]:
    with machine() as client:
        yield client


def states(outcomes: Sequence[Outcome]) -> dict[str, int]:
    found = [each.state for each in outcomes]
    return {state: found.count(state) for state in found}


@pytest.mark.parametrize(
    "when_busy", ["ENQUEUE", pytest.param("CANCEL_NEW", marks=pytest.mark.slow)]
)
def test_one_runs_at_once_and_the_others_wait_or_are_cancelled_as_the_project_says(
    client: SyncPrefectClient, when_busy: WhenBusy
) -> None:
    outcomes = collide(client, when_busy)

    ran = [each for each in outcomes if each.state == "Completed"]  # in the order they ended
    assert {each.what for each in outcomes} == {"schedule-A", "schedule-B", "by hand"}
    assert all(after.started and before.ended <= after.started for before, after in pairwise(ran))
    assert states(outcomes) == (
        {"Completed": 3} if when_busy == "ENQUEUE" else {"Cancelled": 2, "Completed": 1}
    )
    assert tabulate(when_busy, outcomes).row_count == 3
