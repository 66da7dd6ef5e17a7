"""Which code of ours runs: its release, a digest of its files and the folder that they lie in."""

from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import psutil

from deploy.background import find_service
from ocr.models.provenance import OURS, ROOT

CODE = "OCRLINE_CODE"
"""The variable that says of which code a service is, and so whether `up` starts it anew."""
NAMES = ("prefect", "worker", "gateway-*", "keeper")
_PACKAGES = ("cli", "configs", "deploy", "flows", "ocr", "serving", "tasks", "training")
_SHOWN = 12


def name_release(root: Path = ROOT) -> str:
    """Name the code in a folder, be it a git tree or an installed copy."""
    digest = sha256()
    for path in sorted(path for each in _PACKAGES for path in (root / each).rglob("*")):
        if path.is_file() and ".pyc" not in path.name:
            digest.update(f"{path.relative_to(root)} ".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return f"{OURS} {version(OURS)}, code {digest.hexdigest()[:_SHOWN]} in {root}"


def find_of_others(folder: Path, this: str) -> list[str]:
    """Return the names of what runs and was started by other code than `name_release` says."""
    names = sorted(path.stem for name in NAMES for path in folder.glob(f"{name}.json"))
    return [name for name in names if _name_started(folder, name) not in ("", this)]


def _name_started(folder: Path, name: str) -> str:
    """Name the code that started a service; empty: it does not run."""
    service = find_service(folder, name)
    try:
        variables = psutil.Process(service.pid).environ() if service else {CODE: ""}
    except psutil.Error:
        return ""
    return variables.get(CODE, "a release of before")
