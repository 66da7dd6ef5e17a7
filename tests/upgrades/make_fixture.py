"""Lets an earlier release make the state that the tests of upgrades read.

``python -m tests.upgrades.make_fixture COMMIT`` checks the commit out beside this tree, sets it up
by its own lock, retrains a small project twice with its own command, promotes the second version by
hand, and packs what it left: the store, and of the home the jobs and the reports. Not Prefect's
database nor logs: they name the machine they were made on.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
HOME = Path(tempfile.gettempdir()) / "ocrline-upgrade-fixture"
"""Where the state lies while it is made: job files name it."""
SMALL = (
    "dataset.synthesis.count=400",
    "dataset.synthesis.strength=0.05",
    "training.epochs=26",
    "deployment.target=none",
)
OTHER = ("training.seed=1",)
LEFT_OUT = (
    "store/.lock",
    "store/.incoming",
    "services",
    "prefect",
    "snapshots",
    "bundles",
    "traces",
)
"""Of the home: what is locked, logged, or fetched anew."""


def main() -> None:
    """Make `state-COMMIT.tar.xz`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="the last commit of a release")
    commit = parser.parse_args().commit
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "release"
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), commit], check=True)
        try:
            _retrain(tree)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], check=True)
    path = HERE / f"state-{commit}.tar.xz"
    pack(path)
    sys.stdout.write(f"{path}: {path.stat().st_size / 1e6:.2f} MB\n")


def pack(path: Path) -> None:
    """Pack what was left."""
    with tarfile.open(path, "w:xz", preset=9) as archive:
        archive.add(HOME, "home", filter=_without_owner)


def _retrain(tree: Path) -> None:
    if HOME.exists():
        sys.exit(f"error: {HOME} is there already: remove it first")
    subprocess.run(["make", "setup"], cwd=tree, check=True)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("OCRLINE_")},
        "OCRLINE_HOME": str(HOME),
    }

    def ocrline(*arguments: str) -> str:
        command = [str(tree / ".venv" / "bin" / "ocrline"), *arguments]
        done = subprocess.run(
            command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode > 1:  # 1: the gate did not accept
            sys.exit(f"error: {command} ended with {done.returncode}")
        return done.stdout

    try:
        ocrline("retrain", "smoke", *_set(SMALL))
        ocrline("retrain", "smoke", *_set(SMALL + OTHER))
        versions = sorted(path.name for path in (HOME / "store/models/smoke").iterdir())
        before = ocrline("models", "show", "smoke@champion", "--json")
        (other,) = (each for each in versions if each != "aliases" and each not in before)
        ocrline("models", "promote", "smoke", other, "--reason", "by hand")
    finally:
        ocrline("stop")


def _set(values: tuple[str, ...]) -> list[str]:
    return [part for value in values for part in ("--set", value)]


def _without_owner(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if info.name.removeprefix("home/") in LEFT_OUT or info.name.endswith((".log", ".lock")):
        return None
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


if __name__ == "__main__":
    main()
