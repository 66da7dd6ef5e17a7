"""What a fault is injected into: a gateway under a steady load, and what it serves."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from bench.serve.gateway import Gateway, running_gateway
from bench.serve.load_generator.generator import Plan
from bench.serve.load_generator.load import SteadyLoad
from bench.serve.raw_client import RawClient, Reply, post
from bench.serve.served_model import ServedModel, expect_readings, make_model
from serving.access.key_file import add_key

RATE: Final = 50.0
CONNECTIONS: Final = 16
LONGEST_S: Final = 120.0
POLL_S: Final = 0.02
LIMITS: Final = {
    "OCRLINE_HEADER_TIMEOUT_S": "2",
    "OCRLINE_BODY_TIMEOUT_S": "3",
    "OCRLINE_CROP_QUEUE": "16",
}
"""Small, so that a fault is over soon."""


@dataclass(frozen=True)
class Target:
    """A gateway under a steady load.

    Attributes:
        served: What it serves.
        gateway: That serves it.
        load: Requests that a fault should not hinder.
        key: An API key.
        http: Asks with the key.
    """

    served: ServedModel
    gateway: Gateway
    load: SteadyLoad
    key: str
    http: httpx.Client

    @property
    def image(self) -> bytes:
        """A crop that can be read."""
        return self.served.questions[0].body

    def metric(self, name: str) -> float:
        """Return a sample of /metrics."""
        for line in self.http.get("/metrics").text.splitlines():
            if line.startswith(f"{name} "):
                return float(line.rpartition(" ")[2])
        raise LookupError(f"no {name} in /metrics")

    def model(self) -> dict[str, Any]:
        """Return what the gateway says of the model."""
        models = self.http.get("/v1/models").raise_for_status().json()["models"]
        return next(model for model in models if model["name"] == self.served.name)

    def ask(
        self, *pieces: bytes, length: int, path: str = "/v1/recognize", **more: str
    ) -> Reply | None:
        """Send a request with the key over a connection of its own, the length as it is said."""
        headers = {"Authorization": f"Bearer {self.key}", **more}
        with RawClient(self.gateway.port) as client:
            client.send_until_ended([post(path, length=length, **headers), *pieces])
            return client.receive()

    def wait_served(self, version: str) -> None:
        """Wait until the steady load is answered by a version."""
        since_s = time.monotonic()
        wait_until(
            lambda: version in {one.version for one in self.load.outcomes(since_s=since_s)},
            what=f"{version} serves",
        )


@contextmanager
def running_target(folder: Path, reference: str) -> Iterator[Target]:
    """Run it, with the champion of a model or an untrained one."""
    served = make_model(folder, reference)
    home, store = folder / "home", served.registry.store.uri
    key = add_key(home / "keys.json", name="bench", models=(), per_minute=0)
    with running_gateway(
        home, store=store, models=served.name, engine="onnxruntime", **LIMITS
    ) as gateway:
        questions = [q for q in expect_readings(served, gateway, key=key) if "/ocr" not in q.path]
        plan = Plan(gateway.port, questions, rate=RATE, connections=CONNECTIONS, key=key)
        headers = {"Authorization": f"Bearer {key}"}
        with (
            SteadyLoad(plan) as load,
            httpx.Client(base_url=gateway.url, headers=headers, trust_env=False) as http,
        ):
            load.settle()
            yield Target(served, gateway, load, key, http)


def wait_until(is_so: Callable[[], object], *, what: str) -> None:
    """Wait for something.

    Raises:
        TimeoutError: It takes too long.
    """
    end_s = time.monotonic() + LONGEST_S
    while not is_so():
        if time.monotonic() > end_s:
            raise TimeoutError(f"not after {LONGEST_S:g} s: {what}")
        time.sleep(POLL_S)
