"""A real gateway in a process of its own, on a free loopback port."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from deploy.background import clean_environment
from deploy.ports import pick_port

START_S = 60


@dataclass(frozen=True)
class Gateway:
    """One running gateway."""

    url: str
    port: int
    process: subprocess.Popen[bytes]
    log: Path
    http: httpx.Client

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.http.get(path, **options)

    def post(self, path: str = "/v1/recognize", **options: Any) -> httpx.Response:
        return self.http.post(path, **options)

    def read(self, image: bytes, *, model: str = "") -> tuple[str, str]:
        """Return the text of one image and the version that read it."""
        query = f"?model={model}" if model else ""
        reply = self.post(
            f"/v1/recognize{query}", content=image, headers={"content-type": "image/png"}
        )
        answer = reply.raise_for_status().json()
        return answer["results"][0]["text"], answer["version"]

    def model(self, name: str = "bars") -> dict[str, Any]:
        models: dict[str, dict[str, Any]] = {
            model["name"]: model for model in self.get("/v1/models").json()["models"]
        }
        return models.get(name, {"version": None, "last_error": None})

    def metric(self, line: str) -> float:
        """Return the value of one sample of /metrics; 0 when there is none yet."""
        for found in self.get("/metrics").text.splitlines():
            if found.startswith(f"{line} "):
                return float(found.rpartition(" ")[2])
        return 0.0

    def forget_peak(self) -> None:
        """Let the peak of the memory begin anew, with what is held now."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", encoding="ascii")

    def peak_mb(self) -> float:
        """Return the most memory that the process held at once, VmHWM, in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        (kilobytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, flags=re.MULTILINE)
        return int(kilobytes) * 1024 / 1e6

    def wait_ready(self) -> None:
        wait_until(lambda: self.get("/health/ready").status_code == 200, log=self.log)

    def wait_for(self, version: str, *, name: str = "bars") -> None:
        wait_until(lambda: self.model(name)["version"] == version, log=self.log)


@contextmanager
def running_gateway(home: Path, *, store: str, **variables: str) -> Iterator[Gateway]:
    """Start a gateway that answers /health/live; end it with SIGTERM."""
    port = pick_port(0)
    home.mkdir(parents=True, exist_ok=True)
    log = home / "gateway.log"
    mine = clean_environment()
    inherited = {k: v for k, v in mine.items() if not k.startswith(("OCRLINE_", "MINIO_"))}
    settings = {"OCRLINE_HOME": str(home), "OCRLINE_STORE": store, "OCRLINE_PORT": str(port)}
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "serving"],
            env={**inherited, **settings, **variables},
            stdout=stream,
            stderr=stream,
        )
    url = f"http://127.0.0.1:{port}"
    http = httpx.Client(base_url=url, timeout=30, trust_env=False)
    gateway = Gateway(url=url, port=port, process=process, log=log, http=http)
    try:
        wait_until(lambda: _is_live(gateway), log=log)
        yield gateway
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=START_S)
        http.close()


def wait_until(is_so: Callable[[], object], *, log: Path, timeout_s: float = START_S) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still not after {timeout_s} s; log:\n{log.read_text()[-3000:]}")
        time.sleep(0.05)


def _is_live(gateway: Gateway) -> bool:
    if gateway.process.poll() is not None:
        raise RuntimeError(f"the gateway ended:\n{gateway.log.read_text()[-3000:]}")
    try:
        return gateway.get("/health/live").status_code == 200
    except httpx.TransportError:
        return False
