"""Prefect's tables, which its server makes on a new machine; made once for most tests.

A server that makes them takes three times the processor time of one that finds them.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from ocr.store.whole import written_whole

MADE = Path(sys.prefix) / f"prefect-{version('prefect')}.db"
"""Kept in the environment, which has the only Prefect that they suit."""


def make_tables(**variables: str) -> None:
    """Let Prefect make the tables of the database that the variables name."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    subprocess.run(
        [sys.executable, "-m", "prefect", "server", "database", "upgrade", "-y"],
        check=True,
        env={**others, **variables},
        capture_output=True,
    )


def _empty_database() -> Path:
    """Return a database of SQLite with Prefect's tables; it is to be copied."""
    with MADE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests beside this one want it as well
        if not MADE.exists():
            with TemporaryDirectory() as folder:
                make_tables(PREFECT_HOME=folder)
                with written_whole(MADE) as part:
                    part.write((Path(folder) / "prefect.db").read_bytes())
    return MADE


def give_tables(prefect_home: Path) -> None:
    """Let a server that is started in this folder find its tables, as if it had run before."""
    prefect_home.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(_empty_database(), prefect_home / "prefect.db")
