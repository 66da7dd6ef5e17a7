"""The stages of a line, and how it stops after one; what is before it is found or made."""

from collections.abc import Iterator
from typing import Any, Literal, get_args

Stage = Literal["prepare", "train", "export", "evaluate", "judge", "deploy"]


def run_until(last: Stage, line: Iterator[Any]) -> Any:
    """Run a line, which yields what each stage made, and return what the last one made."""
    for stage, made in zip(get_args(Stage), line, strict=False):
        if stage == last:
            return made
    raise AssertionError(f"The line has no stage {last!r}")
