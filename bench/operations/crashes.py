"""What becomes of runs when a part is killed: ``python -m bench.operations.crashes``.

Every part is killed (SIGKILL), or the run is cancelled, while a run of `smoke` prepares, trains and
deploys, one after another on a stack of its own. Each figure is of one kill, as it was observed:
when the UI showed a final state, which frees the slot; when every part was up again; how much work
of before was kept by no checkpoint and had to be done anew. We start PostgreSQL again after some
seconds, as its service manager would.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import get_args

from bench.operations.postgres import PASSWORD, NoPostgres, Postgres, running_postgres
from bench.operations.stack import Stack, running_stack
from bench.operations.trial import (
    CHECKPOINT_S,
    DATABASE_GONE_S,
    Missed,
    Moment,
    Outcome,
    Target,
    try_kill,
)

MOMENTS: tuple[Moment, ...] = get_args(Moment)
TARGETS: tuple[Target, ...] = get_args(Target)
COLUMNS = (
    f"{'killed':<16}{'while':<11}{'state':<11}{'slot free':>10}{'all up':>9}{'lost':>8}  again"
)


def main() -> None:
    """Print a row for each kill."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--moments", nargs="+", choices=MOMENTS, default=list(MOMENTS))
    arguments = parser.parse_args()
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start; a checkpoint "
        f"every {CHECKPOINT_S:g} s; PostgreSQL started again after {DATABASE_GONE_S} s"
    )
    print(COLUMNS)
    with tempfile.TemporaryDirectory(prefix="bench-crashes-") as name:
        for row in _rows(Path(name), arguments.targets, arguments.moments):
            print(row, flush=True)


def _rows(folder: Path, targets: Sequence[Target], moments: Sequence[Moment]) -> Iterator[str]:
    number = 0
    ours = [target for target in targets if target != "database"]
    with ExitStack() as stacks:
        if ours:
            stack = stacks.enter_context(running_stack(folder / "sqlite"))
            _warm(stack)
        for target in ours:
            for moment in moments:
                number += 1
                yield _row(stack, target, moment, number)
    if "database" not in targets:
        return
    try:
        with running_postgres(folder) as postgres:
            told = {"OCRLINE_DATABASE": postgres.address, "OCRLINE_DATABASE_PASSWORD": PASSWORD}
            with running_stack(folder / "postgresql", **told) as stack:
                _warm(stack)
                for moment in moments:
                    number += 1
                    yield _row(stack, "database", moment, number, postgres)
    except NoPostgres as error:
        yield f"{'database':<16}skipped: {error}"


def _warm(stack: Stack) -> None:
    """Prepare and train once, so that a run that is to deploy finds what comes before."""
    stack.run(
        "retrain",
        "smoke",
        "--until",
        "train",
        "--set",
        f"deployment.endpoint={stack.endpoint}",
    )


def _row(
    stack: Stack, target: Target, moment: Moment, number: int, postgres: Postgres | None = None
) -> str:
    begin = f"{target:<16}{moment:<11}"
    try:
        outcome = try_kill(stack, target, moment, number, postgres)
    except Missed as error:
        return f"{begin}– {error}"
    print(f"{target}, {moment}: {outcome.message}", file=sys.stderr)
    return begin + _figures(outcome)


def _figures(outcome: Outcome) -> str:
    again = outcome.again or "not needed"
    left = f"; {outcome.leftovers} processes left" * bool(outcome.leftovers)
    times = f"{outcome.slot_free_s:>8.1f} s{outcome.recovered_s:>7.1f} s"
    return f"{outcome.state:<11}{times}{outcome.lost_s:>6.1f} s  {again}{left}"


if __name__ == "__main__":
    main()
