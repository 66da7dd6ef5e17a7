"""Which code made a model: the commit of the tree that it lies in, or its release."""

import hashlib
import os
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from ocr.store.digest import library_versions
from ocr.store.stages import StageName

OURS = "ocrline"
COMMIT = "OCRLINE_COMMIT"
"""Name of the code, in a copy of it that equals that of the task."""
_PACKAGES = ("configs", "ocr", "training")
_KINDS = (".css", ".jinja", ".py", ".txt")
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
    if os.environ.get(COMMIT):
        return os.environ[COMMIT]
    if _is_our_tree(root):
        commit = _ask_git(root, "rev-parse", "HEAD")
        if commit:
            changed = _ask_git(root, "status", "--porcelain", "--untracked-files=no")
            return commit if changed == "" else f"{commit}-dirty"
    return f"{OURS} {version(OURS)}"


def describe_code(stage: StageName, root: Path = ROOT) -> dict[str, str]:
    """Return what of an installation decides what a job makes, to be compared with another's.

    Args:
        stage: The job's.
        root: The folder that our packages lie in.

    Returns:
        Under `code` the SHA-256 of our files, and the version of each library of the stage; a
        Paddle for GPUs counts as the one for processors.
    """
    digest = hashlib.sha256()
    files = {path.relative_to(root).as_posix(): path for path in _files(root)}
    for name in sorted(files):
        digest.update(f"{name} {hashlib.sha256(files[name].read_bytes()).hexdigest()}\n".encode())
    libraries = library_versions(stage)
    gpu_build = libraries.pop("paddlepaddle-gpu", "").partition("+")[0]
    if gpu_build:
        libraries["paddlepaddle"] = gpu_build
    return {"code": digest.hexdigest()} | libraries


def _files(root: Path) -> Iterator[Path]:
    for package in _PACKAGES:
        yield from (path for path in (root / package).rglob("*") if path.suffix in _KINDS)


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
