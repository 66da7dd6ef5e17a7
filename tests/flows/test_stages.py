"""How a retraining stops after a stage."""

from typing import get_args

import pytest

from flows.stages import Stage, Stages, run_until

STAGES: tuple[Stage, ...] = get_args(Stage)


@pytest.mark.parametrize("last", STAGES)
def test_stages_run_to_the_one_that_was_asked_for_and_no_further(last: Stage) -> None:
    ran: list[str] = []

    def run() -> Stages:
        for stage in STAGES:
            ran.append(stage)
            yield stage, f"made by {stage}"

    made = run_until(last, run())

    assert made == f"made by {last}"
    assert ran == list(STAGES[: STAGES.index(last) + 1])


def test_a_stage_that_a_flow_lacks_is_a_fault_of_ours() -> None:
    def run() -> Stages:
        yield "prepare", "a snapshot"

    with pytest.raises(AssertionError, match="no stage 'judge'"):
        run_until("judge", run())


def test_what_a_flow_holds_is_let_go_when_it_stops_early() -> None:
    held: list[str] = []

    def run() -> Stages:
        try:
            held.append("a turn")
            yield "smoke", "a mark"
            yield "train", "a checkpoint"
        finally:
            held.clear()

    run_until("smoke", run())

    assert held == []
