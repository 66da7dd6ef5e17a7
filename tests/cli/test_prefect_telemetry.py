"""Prefect reports nothing to anybody of what the command does in a terminal."""

import os
import subprocess
import sys
from pathlib import Path

UNASKED = ("CI", "DO_NOT_TRACK", "GITHUB_ACTIONS", "PREFECT_HOME")


def test_prefect_does_not_begin_to_report_in_a_terminal(tmp_path: Path) -> None:
    # In CI it is silent anyway.
    environment = {key: value for key, value in os.environ.items() if key not in UNASKED}
    theirs, ours = os.openpty()

    subprocess.run(
        [sys.executable, "-c", "import cli.main, flows.retrain_lines"],
        env={**environment, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=ours,
        stdout=ours,
        stderr=ours,
        check=True,
    )

    os.close(ours)
    os.close(theirs)
    assert not list(tmp_path.rglob("notice_shown"))  # said before its first report
