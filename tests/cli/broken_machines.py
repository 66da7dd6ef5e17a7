"""What doctor says of broken machines: ``python -m tests.cli.broken_machines``.

Each has one fault; the table has the first finding that is not fine.
"""

import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from cli.doctor import MARKS, examine
from configs.settings import Settings
from ocr.machine.finding import Finding
from tests.built_machine import HANGS, Parts, build_machine, dated_server

SILENT_PORT = "127.0.0.1:9"
S3 = {"OCRLINE_STORE": "s3://models", "MINIO_ACCESS_KEY": "key", "MINIO_SECRET_KEY": "secret"}
CUDART = (
    "PreconditionNotMetError: Cannot load cudart shared library. Cannot invoke method "
    "cudaGetDeviceCount."
)
NVML = "Failed to initialize NVML:"
COMMUNICATE = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
    "the latest NVIDIA driver is installed and running."
)

NO_GPU = Parts(
    driver="", module="", devices=(), paddle_cuda="False", packages={"paddlepaddle": "3.3.1"}
)

CASES: dict[str, tuple[Parts, int, str, list[str]]] = {
    "a GPU is asked for, and there is no driver": (
        NO_GPU, 1, "gpu driver", ["nvidia-smi is not on PATH", "resources.device: cpu"],
    ),
    "the kernel's module is not loaded": (
        Parts(smi_says=COMMUNICATE, module=""), 1, "gpu driver", ["modprobe nvidia", "dkms"],
    ),
    "the driver was updated, the machine not restarted": (
        Parts(smi_says=f"{NVML} Driver/library version mismatch"), 1, "gpu driver", ["reboot"],
    ),
    "the card fell off the bus": (
        Parts(smi_says="No devices were found"), 1, "gpu driver", ["lspci", "reboot"],
    ),
    "nvidia-smi hangs": (
        Parts(smi_says=HANGS), 1, "gpu driver", ["no answer within", "reboot"],
    ),
    "/dev/nvidia* may not be read": (
        Parts(smi_says=f"{NVML} Insufficient Permissions"), 1, "gpu driver", ["group video"],
    ),
    "the driver's tools are missing": (
        Parts(driver="", devices=()), 1, "gpu driver", ["nvidia-utils-580", "PATH"],
    ),
    "a container without --gpus": (
        Parts(driver="", devices=(), container=True), 1, "gpu container",
        ["--gpus all", "nvidia-container-toolkit"],
    ),
    "a container that is shown no GPU": (
        Parts(driver="", devices=(), container=True,
              environment={"NVIDIA_VISIBLE_DEVICES": "void"}), 1, "gpu container",
        ["NVIDIA_VISIBLE_DEVICES=void", "nvidia.com/gpu"],
    ),
    "a container that lost its GPUs": (
        Parts(smi_says=f"{NVML} Unknown Error", container=True), 1, "gpu driver",
        ["start the container again"],
    ),
    "CUDA_VISIBLE_DEVICES is empty": (
        Parts(environment={"CUDA_VISIBLE_DEVICES": ""}), 1, "gpu devices",
        ["1 GPUs are asked for, 0 are visible", "there are: 0, 1"],
    ),
    "CUDA_VISIBLE_DEVICES names a GPU of another machine": (
        Parts(environment={"CUDA_VISIBLE_DEVICES": "0,7"}), 2, "gpu devices",
        ["CUDA_VISIBLE_DEVICES=0,7", "no GPU 7", "0, 1"],
    ),
    "CUDA_VISIBLE_DEVICES names an unknown UUID": (
        Parts(environment={"CUDA_VISIBLE_DEVICES": "GPU-dead"}), 1, "gpu devices",
        ["no GPU GPU-dead"],
    ),
    "more GPUs are asked for than there are": (
        Parts(), 4, "gpu devices",
        ["resources.devices: 4 GPUs are asked for, 2 are visible"],
    ),
    "Paddle is built for processors": (
        Parts(packages={"paddlepaddle": "3.3.1"}, paddle_cuda="False"), 1, "gpu paddle",
        ["3.3.1) is built without CUDA", "paddlepaddle-gpu==3.3.1", "at most CUDA 13.0"],
    ),
    "Paddle is not installed": (Parts(packages={}), 1, "gpu paddle", ["not installed"]),
    "CUDA 11 and a driver of 2018": (
        Parts(driver="418.87.00", cuda="10.1", paddle_cuda="11.8"), 1, "gpu versions",
        ["418.87.00", "CUDA 11", "450"],
    ),
    "CUDA 12 and a driver of 2021": (
        Parts(driver="470.57.02", cuda="11.4"), 1, "gpu versions",
        ["470.57.02", "CUDA 12", "525"],
    ),
    "CUDA 13 and a driver of 2023": (
        Parts(driver="535.104.05", cuda="12.2", paddle_cuda="13.0"), 1, "gpu versions",
        ["535.104.05", "CUDA 13", "580"],
    ),
    "Paddle finds no CUDA library": (
        Parts(paddle_says=CUDART), 1, "gpu in use", ["does not find cudart", "LD_LIBRARY_PATH"],
    ),
    "Paddle dies of itself": (
        Parts(paddle_says="terminate called without an active exception"), 1, "gpu in use",
        ["cannot compute on the GPUs: terminate called", "resources.device: cpu"],
    ),
    "Paddle sees fewer GPUs than nvidia-smi": (
        Parts(paddle_says="1"), 2, "gpu in use", ["sees 1 GPUs of the 2"],
    ),
    "little shared memory, and two GPUs": (
        Parts(shared=2**28), 2, "shared memory", ["256 MiB", "1.0 GiB", "--shm-size 8g"],
    ),
    "64 open files": (
        Parts(limits={"files": "64"}), 1, "open files", ["64 may be open", "ulimit -n"],
    ),
    "a stack of 1 MiB": (
        Parts(limits={"stack": "1048576"}), 1, "stack", ["1 MiB", "ulimit -s"],
    ),
    "two GPUs, and 64 KiB of locked memory": (
        Parts(limits={"locked": "65536"}), 2, "locked memory",
        ["64 KiB", "memlock=-1"],
    ),
    "a full disk": (Parts(disk=10**7), 1, "disk", ["only 0.0 GB", "OCRLINE_HOME"]),
    "both builds of Paddle": (
        Parts(packages={"paddlepaddle": "3.3.1", "paddlepaddle-gpu": "3.3.1"}), 1, "packages",
        ["write the same folder paddle", "pip uninstall paddlepaddle paddlepaddle-gpu"],
    ),
    "another ONNX Runtime than was tested": (
        Parts(packages={"paddlepaddle-gpu": "3.3.1", "onnxruntime": "1.19.0"}), 1, "packages",
        ["onnxruntime 1.19.0 (tested: 1.31.1)", "make setup"],
    ),
    "a store that does not answer": (
        Parts(environment=S3 | {"MINIO_ENDPOINT": SILENT_PORT}), 1, "store",
        [SILENT_PORT, "MINIO_ENDPOINT"],
    ),
    "a clock 20 minutes ahead of the store's": (
        Parts(ahead_s=1200, environment=S3), 1, "clock", ["ahead of", "timedatectl"],
    ),
}  # fmt: skip
"""The machine, the GPUs that are asked for, the part that is found at fault, and what is said."""


def diagnose(folder: Path, case: str) -> Finding | None:
    """Return the first finding of a machine that is not fine; None: all are."""
    parts, gpus, _, _ = CASES[case]
    machine = build_machine(folder, parts)
    with dated_server() as endpoint:
        given = {"OCRLINE_HOME": str(folder / "home"), "MINIO_ENDPOINT": endpoint}
        with patch.dict(os.environ, given | dict(parts.environment)):
            findings = examine(machine, Settings(), gpus=gpus)
            return next((each for each in findings if each.verdict in ("broken", "risky")), None)


def main() -> None:
    """Print the table; exit 1 when doctor says something else than expected."""
    table = Table("", "machine", "what doctor says", "how to mend it", show_lines=True)
    outcomes = []
    for case, (_, _, part, words) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            finding = diagnose(Path(folder), case)
        if finding is None:
            table.add_row("", case, "nothing", "")
            outcomes.append(False)
            continue
        said = f"{finding.part}: {finding.found}"
        table.add_row(MARKS[finding.verdict], case, said, finding.advice)
        outcomes.append(finding.part == part and all(word in str(finding) for word in words))
    console = Console(width=170)
    console.print(table)
    console.print(f"{sum(outcomes)} of {len(outcomes)} as expected")
    raise SystemExit(not all(outcomes))


if __name__ == "__main__":
    main()
