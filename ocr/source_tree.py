"""A source tree of PaddleOCR and the interpreter that runs it: found, and digested for keys."""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ocr.errors import BadInput

TOOLS = ("tools/train.py", "tools/export_model.py")
CLONE = "git clone --depth 1 --branch v3.3.2 https://github.com/PaddlePaddle/PaddleOCR"
_FOLDERS = ("configs", "ppocr", "tools")
_KINDS = (".py", ".txt", ".yaml", ".yml")
_LIST_PACKAGES = """
from importlib.metadata import distributions
from importlib.util import find_spec
if find_spec("paddle") is None:
    raise SystemExit("No module named 'paddle'")
print("\\n".join(sorted({f"{each.name.lower()} {each.version}" for each in distributions()})))
"""
_LISTED = re.compile(r"(\S+ \S+\n)+")
_TIMEOUT_S = 120
_NEEDED = ("HOME", "LANG", "LC_", "LD_", "PATH", "TMPDIR")
"""All that a foreign interpreter is told of our environment, where keys of the store stand."""


@dataclass(frozen=True)
class SourceTree:
    """What runs PaddleOCR's tools.

    Attributes:
        home: Its source tree.
        python: The interpreter with what the tree imports.
        tree: SHA-256 of the tree's code and configs; the commit alone would miss what was changed.
        packages: SHA-256 of the interpreter's packages and their versions.
    """

    home: Path
    python: Path
    tree: str
    packages: str


def find_source_tree(home: str, python: Path) -> SourceTree:
    """Find both, or say the one command that brings what is missing.

    Args:
        home: Folder of the source tree; empty: none is named.
        python: The interpreter.

    Raises:
        BadInput: The tree or the interpreter is missing, or is something else.
    """
    folder = find_home(home)
    packages = _list_packages(python)
    return SourceTree(
        home=folder,
        python=python,
        tree=_digest_tree(folder),
        packages=hashlib.sha256(packages.encode()).hexdigest(),
    )


def find_home(home: str) -> Path:
    """Return the folder of the source tree.

    Raises:
        BadInput: It is missing, or no source tree of PaddleOCR.
    """
    if not home:
        raise BadInput(f"PADDLEOCR_HOME names no source tree of PaddleOCR; get one: {CLONE}")
    folder = Path(home).resolve()
    missing = [tool for tool in TOOLS if not (folder / tool).is_file()]
    if missing:
        raise BadInput(f"PADDLEOCR_HOME={home} has no {missing[0]}; get the tree: {CLONE}")
    return folder


def _list_packages(python: Path) -> str:
    advice = "make it: make paddleocr-runtime; or name another by OCRLINE_PADDLEOCR_PYTHON"
    if not python.is_file():
        raise BadInput(f"There is no interpreter {python} for PaddleOCR's tools; {advice}")
    try:
        run = subprocess.run(
            [python, "-I", "-c", _LIST_PACKAGES],
            env={key: value for key, value in os.environ.items() if key.startswith(_NEEDED)},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BadInput(f"{python} gave no answer within {_TIMEOUT_S} s; {advice}") from None
    except OSError as error:
        raise BadInput(f"{python} cannot be started: {error}; {advice}") from error
    if run.returncode != 0:
        reason = (run.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise BadInput(f"{python} has no Paddle: {reason}; {advice}")
    if not _LISTED.fullmatch(run.stdout):
        raise BadInput(f"{python} is no Python: it lists no packages; {advice}")
    return run.stdout


def _digest_tree(home: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(_files(home)):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(home).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def _files(home: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from (path for path in (home / folder).rglob("*") if path.suffix in _KINDS)
