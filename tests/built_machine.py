"""A machine made of parts: stubs in bin/, /proc, /dev and /run in root/, packages in site/."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

from ocr.machine.machine import Machine

GIBIBYTE = 2**30
HANGS = "hangs"
LOCK = Path(__file__).parents[1] / "requirements.lock"
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max stack size            {stack:<20} unlimited            bytes
Max open files            {files:<20} 65536                files
Max locked memory         {locked:<20} unlimited            bytes
"""
ENOUGH = {"stack": "8388608", "files": "20000", "locked": "unlimited"}
MODULE = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Wed Jul  9 02:10:00 UTC 2025"
HEAD = "| NVIDIA-SMI {0}    Driver Version: {0}    CUDA Version: {1}     |"
LISTED = """GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5e1a0000-0000-0000-0000-000000000000)
  MIG 1g.10gb     Device  0: (UUID: MIG-77aa0000-0000-0000-0000-000000000000)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-c0de0000-0000-0000-0000-000000000000)"""


@dataclass(frozen=True)
class Parts:
    """What a machine is made of; as it stands, one with two GPUs on which all is well.

    Attributes:
        driver: Version that nvidia-smi says; empty: there is no nvidia-smi.
        cuda: The newest CUDA that it says.
        smi_says: What nvidia-smi says instead, as it fails; `hangs`: nothing.
        module: Version of the kernel's module; empty: none.
        devices: Files in /dev.
        container: Whether it is one.
        packages: Installed versions by name.
        paddle_cuda: The CUDA that Paddle is built with; False: none.
        paddle_says: What a process says that computes on all GPUs; what is no number is its error.
        shared, disk: Free bytes.
        limits: Values of LIMITS.
        ahead_s: How far the clock is ahead.
        environment: Variables.
    """

    driver: str = "580.65.06"
    cuda: str = "13.0"
    smi_says: str = ""
    module: str = "580.65.06"
    devices: tuple[str, ...] = ("nvidiactl", "nvidia0", "nvidia1")
    container: bool = False
    packages: Mapping[str, str] = field(default_factory=lambda: {"paddlepaddle-gpu": "3.3.1"})
    paddle_cuda: str = "12.6"
    paddle_says: str = "2"
    shared: int = 8 * GIBIBYTE
    disk: int = 10**12
    limits: Mapping[str, str] = field(default_factory=dict)
    ahead_s: float = 0
    environment: Mapping[str, str] = field(default_factory=dict)


def build_machine(folder: Path, parts: Parts) -> Machine:
    """Put a machine together in an empty folder."""
    root, site, programs = folder / "root", folder / "site", folder / "bin"
    files = {root / "dev" / name: "" for name in parts.devices}
    files[root / "dev/shm/.keep"] = ""
    files[root / "proc/self/limits"] = LIMITS.format(**ENOUGH | dict(parts.limits))
    if parts.module:
        files[root / "proc/driver/nvidia/version"] = MODULE.format(parts.module)
    if parts.container:
        files[root / ".dockerenv"] = ""
    for name, version in parts.packages.items():
        files[site / f"{name.replace('-', '_')}-{version}.dist-info/METADATA"] = ""
    files[site / "paddle/version/__init__.py"] = f"cuda_version     = '{parts.paddle_cuda}'\n"
    files[programs / "python"] = _program(parts.paddle_says, fails=not parts.paddle_says.isdigit())
    if parts.driver:
        files[programs / "nvidia-smi"] = _nvidia_smi(parts)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for program in programs.iterdir():
        program.chmod(0o755)
    return Machine(
        environment={"PATH": str(programs), **parts.environment},
        root=root,
        packages=(site,),
        python=str(programs / "python"),
        lock=LOCK,
        free_bytes=lambda path: parts.shared if path.name == "shm" else parts.disk,
        now=lambda: time.time() + parts.ahead_s,
        answer_s=1 if parts.smi_says == HANGS else 60,
    )


def _nvidia_smi(parts: Parts) -> str:
    if parts.smi_says == HANGS:
        return "#!/bin/sh\nexec /bin/sleep 600\n"
    if parts.smi_says:
        return _program(parts.smi_says, fails=True)
    head, listed = HEAD.format(parts.driver, parts.cuda), LISTED
    return f"#!/bin/sh\nif [ \"$1\" = -L ]; then\necho '{listed}'\nelse\necho '{head}'\nfi\n"


def _program(says: str, *, fails: bool) -> str:
    quoted = says.replace("'", "'\\''")
    return f"#!/bin/sh\necho '{quoted}'{' >&2' * fails}\nexit {int(fails)}\n"


class _Dated(BaseHTTPRequestHandler):
    """Answers with nothing but the headers that every server sends."""

    def do_HEAD(self) -> None:
        self.send_response(403)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def dated_server() -> Iterator[str]:
    """Run a server that tells the time; give its HOST:PORT."""
    with HTTPServer(("127.0.0.1", 0), _Dated) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
