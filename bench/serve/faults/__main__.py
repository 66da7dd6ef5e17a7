"""What a gateway does when something goes wrong, under a light load that must not notice.

    python -m bench.serve.faults [MODEL] [--json FILE]

MODEL is of the registry, and its champion is served; without it a net of random weights is. 50
crops a second are asked meanwhile, and each answer is compared with that of a calm request. `lost`
are those without the right answer, `again` those that a 503 told to come again, and that did;
`slowest s` is the longest wait for an answer. `s` is the time from the fault until it was over and
the crops were answered as before. Exit 1 where a fault came to another end than it should.
"""

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console

from bench.serve.faults.table import FAULTS
from bench.serve.faults.target import running_target
from bench.serve.faults.trial import Trial, try_fault

ROW: Final = "{:<41}{:<42}{:>5}{:>7}{:>12}{:>8}"


def main() -> int:
    """Let all happen, print a row after each, write them."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve.faults", description=__doc__)
    parser.add_argument("model", nargs="?", default="")
    parser.add_argument("--json", type=Path, help="file for the rows")
    options = parser.parse_args()
    console = Console(width=120, markup=False, highlight=False)
    trials: list[Trial] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        running_target(Path(folder), options.model) as target,
    ):
        console.print(ROW.format("fault", "what happened", "lost", "again", "slowest s", "s"))
        for fault in FAULTS:
            trial = try_fault(fault, target)
            trials.append(trial)
            cells = (f"{trial.slowest_s:.2f}", f"{trial.seconds:.1f}")
            row = ROW.format(trial.name, trial.happened, trial.lost, trial.again, *cells)
            console.print(row, soft_wrap=True)
            for found in trial.faults:
                console.print(f"  {found}", soft_wrap=True)
    if options.json:
        rows = [asdict(trial) for trial in trials]
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    as_expected = sum(not trial.faults for trial in trials)
    console.print(f"{as_expected} of {len(trials)} as expected")
    return 0 if as_expected == len(trials) else 1


if __name__ == "__main__":
    raise SystemExit(main())
