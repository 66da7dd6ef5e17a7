"""The stages of a retraining, and how it stops after one."""

from collections.abc import Generator
from contextlib import closing
from typing import Any, Literal, get_args

Stage = Literal["prepare", "smoke", "train", "export", "evaluate", "judge", "deploy"]


Stages = Generator[tuple[Stage, Any], None, None]


def run_until(last: Stage, stages: Stages) -> Any:
    """Run stages, which yield their name and what they made, and return what the last one made."""
    with closing(stages):
        for stage, made in stages:
            if stage == last:
                return made
    raise AssertionError(f"There is no stage {last!r}")


def reaches(last: Stage, stage: Stage) -> bool:
    """Say whether a run that stops after one stage comes to another."""
    order = get_args(Stage)
    return order.index(stage) <= order.index(last)
