"""The environment of a training process: set before paddle is imported, kept on record after."""

import os
import platform
import warnings
from pathlib import Path

from configs.training import ResourceParams
from ocr.processors import name_processor


def prepare_environment() -> None:
    """Set what is read at the import of paddle; a value that is already set stays.

    Paddle bundles an MKL that takes a slow path on AMD processors unless told otherwise, and one
    thread per process is faster than several: scale by processes.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if "AuthenticAMD" in _processor_text():
        os.environ.setdefault("MKL_DEBUG_CPU_TYPE", "5")
    for noise in ("No ccache found", "When training, we now always track"):
        warnings.filterwarnings("ignore", message=noise)


def describe_environment(resources: ResourceParams, *, code: str) -> dict[str, str]:
    """Return the code, versions and devices that result.json records."""
    import paddle

    machines = f"{resources.nodes} x " * (resources.nodes > 1)
    return {
        "code": code,
        "device": f"{machines}{resources.devices} x {resources.device}",
        "paddle": paddle.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "processor": name_processor(),
        "cpus": str(os.cpu_count()),
    }


def _processor_text() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
