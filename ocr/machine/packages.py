"""The Paddle that is installed, and installed versions beside those of the lock."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ocr.machine.finding import Finding, absent, fine, risky
from ocr.machine.machine import Machine

FRAGILE = (
    *("paddlepaddle", "paddle2onnx", "onnx", "onnxruntime", "opencv-contrib-python-headless"),
    *("numpy", "rapidocr", "paddleocr", "paddlex", "prefect", "fastapi", "sqlalchemy"),
)
"""Packages of which another version was seen to give other results, or none."""
GPU_BUILD = "paddlepaddle-gpu"
PADDLES = ("paddlepaddle", GPU_BUILD)
OPENCVS = ("opencv-python", "opencv-python-headless", "opencv-contrib-python-headless")
ONE_FOLDER = {"paddle": PADDLES, "cv2": OPENCVS}
"""Packages that write the same folder, so that the last one installed spoils the others."""

_CUDA = re.compile(r"^cuda_version\s*=\s*'([\d.]+)'", re.MULTILINE)
_LOCKED = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)


@dataclass(frozen=True)
class Paddle:
    """An installed Paddle; `cuda` is the version it was built with, empty: for processors."""

    version: str
    cuda: str


def find_paddle(machine: Machine) -> Paddle | None:
    """Read which Paddle is installed, without importing it; None: there is none."""
    installed = read_installed(machine.packages)
    version = installed.get(GPU_BUILD) or installed.get("paddlepaddle")
    if version is None:
        return None
    files = [folder / "paddle" / "version" / "__init__.py" for folder in machine.packages]
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    cuda = _CUDA.search(text)
    return Paddle(version, cuda[1] if cuda else "")


def check_packages(machine: Machine) -> Finding:
    """Compare the versions of what is fragile with the lock's, and look for rivals."""
    installed = read_installed(machine.packages)
    for folder, rivals in ONE_FOLDER.items():
        both = [name for name in rivals if name in installed]
        if len(both) > 1:
            return risky(
                "packages",
                f"{' and '.join(both)} are installed and write the same folder {folder}",
                f"pip uninstall {' '.join(both)}, then install the one that is wanted",
            )
    if not machine.lock.is_file():
        return absent("packages", f"no {machine.lock}: versions are not compared with it")
    locked = dict(_LOCKED.findall(machine.lock.read_text(encoding="utf-8")))
    named = {name: _version_of(name, installed) for name in FRAGILE if name in locked}
    others = [
        f"{name} {version} (tested: {locked[name]})"
        for name, version in named.items()
        if version and version != locked[name]
    ]
    if others:
        return risky("packages", ", ".join(others), f"{machine.setup} installs what was tested")
    return fine("packages", f"{sum(map(bool, named.values()))} fragile ones as in the lock")


def read_installed(folders: Sequence[Path]) -> dict[str, str]:
    """Return the versions of installed packages by their names on PyPI, in lower case."""
    found: dict[str, str] = {}
    for folder in folders:
        for package in folder.glob("*.dist-info"):
            name, _, version = package.name.removesuffix(".dist-info").partition("-")
            name = re.sub(r"[-_.]+", "-", name).lower()
            found.setdefault(name, version)  # the first on the path is the one imported
    return found


def _version_of(name: str, installed: dict[str, str]) -> str:
    if name == "paddlepaddle" and name not in installed:
        name = GPU_BUILD
    return installed.get(name, "").partition("+")[0]
