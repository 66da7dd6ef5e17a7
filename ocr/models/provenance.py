"""Which code made a model: the commit of the tree that it lies in, or its release."""

import os
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

OURS = "ocrline"
ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT_S = 10


def name_code(root: Path = ROOT) -> str:
    """Name the code that runs, for the record of what it makes.

    Args:
        root: The folder that our packages lie in.

    Returns:
        The commit where that folder is a git tree of this project, with ``-dirty`` where a file
        that git tracks was changed, or git cannot tell; else the release, as of an installed copy.
    """
    if _is_our_tree(root):
        commit = _ask_git(root, "rev-parse", "HEAD")
        if commit:
            changed = _ask_git(root, "status", "--porcelain", "--untracked-files=no")
            return commit if changed == "" else f"{commit}-dirty"
    return f"{OURS} {version(OURS)}"


def _is_our_tree(root: Path) -> bool:
    """Say whether this is the top of a git tree, and that tree this project's."""
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    top = _ask_git(root, "rev-parse", "--show-toplevel")
    return project.get("project", {}).get("name") == OURS and top == str(root)


def _ask_git(folder: Path, *question: str) -> str | None:
    """Return git's answer; None where it gives none."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *question]
    # Variables of a hook or a shell would name another repository.
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, env=kept
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() if run.returncode == 0 else None
