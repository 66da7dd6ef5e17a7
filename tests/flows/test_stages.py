"""How a line stops after a stage."""

from collections.abc import Iterator
from typing import get_args

import pytest

from flows.stages import Stage, run_until

STAGES: tuple[Stage, ...] = get_args(Stage)


@pytest.mark.parametrize("last", STAGES)
def test_a_line_runs_to_the_stage_that_was_asked_for_and_no_further(last: Stage) -> None:
    ran: list[str] = []

    def line() -> Iterator[str]:
        for stage in STAGES:
            ran.append(stage)
            yield f"made by {stage}"

    made = run_until(last, line())

    assert made == f"made by {last}"
    assert ran == list(STAGES[: STAGES.index(last) + 1])
