"""Requests per second and latency of the gateway beside the bare recogniser, in one run.

python -m bench.serve [--seconds 3] [--model plates] [--engine paddle]

Without --model, a net of random weights and the embedded trainer's base size is served.
"""

import argparse
import base64
import http.client
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.untrained_bundle import write_untrained_bundle
from configs.settings import read_settings
from deploy.background import pick_port, start_service, stop_service
from ocr.image import Image, decode_image, encode_jpeg
from ocr.recogniser import OnnxRecogniser
from ocr.registry import Registry
from ocr.store import S3Credentials, open_store
from ocr.store.folder import download_folder

MAX_PIXELS = 20_000_000
CROPS = 64
WARM_UP_S = 0.5
BATCH = 16

Ask = Callable[[int], object]


@dataclass(frozen=True)
class Load:
    """What one row of the table measured."""

    what: str
    clients: int
    images_per_request: int
    latencies_ms: tuple[float, ...]
    seconds: float

    @property
    def row(self) -> tuple[str, ...]:
        """Cells of the table."""
        rate = len(self.latencies_ms) / self.seconds
        p50, p95 = np.percentile(self.latencies_ms, [50, 95])
        return (
            self.what,
            str(self.clients),
            f"{rate:.0f}",
            f"{rate * self.images_per_request:.0f}",
            f"{p50:.2f}",
            f"{p95:.2f}",
        )


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="per row")
    parser.add_argument("--model", default="", help="a model of the registry, its champion")
    parser.add_argument("--engine", default="onnxruntime", choices=["onnxruntime", "paddle"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bundle = _fetch(options.model, Path(folder)) if options.model else _make(Path(folder))
        crops = [encode_jpeg(image) for image in _crops(bundle)]
        loads = _measure_bare(bundle, crops, seconds=options.seconds)
        loads += _measure_gateway(
            bundle, crops, home=Path(folder), engine=options.engine, seconds=options.seconds
        )
    table = Table("", "clients", "requests/s", "images/s", "p50 ms", "p95 ms", title="bench.serve")
    for load in loads:
        table.add_row(*load.row)
    Console().print(table)


def _measure_bare(bundle: Path, crops: Sequence[bytes], *, seconds: float) -> list[Load]:
    recogniser = OnnxRecogniser.load(bundle)
    batch = [decode_image(crop, max_pixels=MAX_PIXELS) for crop in crops[:BATCH]]

    def decode_and_read(number: int) -> object:
        image = decode_image(crops[number % len(crops)], max_pixels=MAX_PIXELS)
        return recogniser.recognise([image])

    return [
        _measure("bare OnnxRecogniser, JPEG in", [decode_and_read], seconds=seconds),
        _measure("bare OnnxRecogniser, JPEG in", [decode_and_read] * 2, seconds=seconds),
        _measure(
            f"bare OnnxRecogniser, {BATCH} decoded images a call",
            [lambda _: recogniser.recognise(batch)],
            images=BATCH,
            seconds=seconds,
        ),
    ]


def _measure_gateway(
    bundle: Path, crops: Sequence[bytes], *, home: Path, engine: str, seconds: float
) -> list[Load]:
    registry = Registry(open_store(str(home / "store")))
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    registry.register(manifest["name"], manifest["version"], bundle)
    registry.promote(manifest["name"], manifest["version"], reason="benchmark")
    port = pick_port(0)
    start_service(
        home,
        "gateway",
        module=["serving"],
        url=f"http://127.0.0.1:{port}",
        environment={
            "OCRLINE_HOME": str(home),
            "OCRLINE_STORE": registry.store.uri,
            "OCRLINE_PORT": str(port),
            "OCRLINE_ENGINE": engine,
            "OCRLINE_MODELS": "",
            "OCRLINE_TOKEN": "",
        },
        is_up=lambda: _is_ready(port),
    )
    try:
        return _measure_requests(port, crops, engine=engine, seconds=seconds)
    finally:
        stop_service(home, "gateway")


def _measure_requests(
    port: int, crops: Sequence[bytes], *, engine: str, seconds: float
) -> list[Load]:
    texts = [base64.b64encode(crop).decode() for crop in crops[:BATCH]]
    batch = json.dumps({"images": texts}).encode()

    def raw() -> Ask:
        connection = _connect(port)
        return lambda number: _post(connection, crops[number % len(crops)], "image/jpeg")

    def many() -> Ask:
        connection = _connect(port)
        return lambda _: _post(connection, batch, "application/json")

    def nothing() -> Ask:
        connection = _connect(port)
        return lambda _: _get(connection, "/health/live")

    gateway = f"gateway ({engine})"
    return [
        _measure("gateway, GET /health/live", [nothing()], seconds=seconds),
        _measure(f"{gateway}, JPEG in", [raw()], seconds=seconds),
        _measure(f"{gateway}, JPEG in", [raw() for _ in range(8)], seconds=seconds),
        _measure(f"{gateway}, {BATCH} in JSON", [many()], images=BATCH, seconds=seconds),
        _measure(
            f"{gateway}, {BATCH} in JSON", [many() for _ in range(8)], images=BATCH, seconds=seconds
        ),
    ]


def _measure(what: str, asks: Sequence[Ask], *, seconds: float, images: int = 1) -> Load:
    start = threading.Barrier(len(asks))

    def work(ask: Ask) -> list[float]:
        start.wait()
        _repeat(ask, seconds=WARM_UP_S)
        return _repeat(ask, seconds=seconds)

    with ThreadPoolExecutor(len(asks)) as clients:
        latencies = [ms for client in clients.map(work, asks) for ms in client]
    return Load(what, len(asks), images, tuple(latencies), seconds)


def _repeat(ask: Ask, *, seconds: float) -> list[float]:
    latencies_ms: list[float] = []
    end = time.perf_counter() + seconds
    while (started := time.perf_counter()) < end:
        ask(len(latencies_ms))
        latencies_ms.append((time.perf_counter() - started) * 1000)
    return latencies_ms


def _connect(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60)


def _post(connection: http.client.HTTPConnection, body: bytes, kind: str) -> bytes:
    connection.request("POST", "/v1/recognize", body, {"Content-Type": kind})
    return _answer(connection)


def _get(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    return _answer(connection)


def _answer(connection: http.client.HTTPConnection) -> bytes:
    reply = connection.getresponse()
    content = reply.read()
    if reply.status != http.client.OK:
        raise RuntimeError(f"The gateway answered {reply.status}: {content[:300]!r}")
    return content


def _is_ready(port: int) -> bool:
    try:
        return bool(_get(_connect(port), "/health/ready"))
    except (OSError, RuntimeError):
        return False


def _make(folder: Path) -> Path:
    random = np.random.default_rng(0)
    images = [random.integers(0, 256, (40, 160, 3), dtype=np.uint8) for _ in range(CROPS)]
    return write_untrained_bundle(folder / "bundle", images=images)


def _fetch(model: str, folder: Path) -> Path:
    settings = read_settings()
    s3 = S3Credentials.of(settings)
    store = open_store(settings.store, s3=s3 if settings.s3_endpoint else None)
    version = Registry(store).resolve(model)
    return download_folder(store, prefix=version.key, folder=folder / "bundle")


def _crops(bundle: Path) -> list[Image]:
    files = sorted((bundle / "golden" / "inputs").glob("*.png"))
    images = [decode_image(file.read_bytes(), max_pixels=MAX_PIXELS) for file in files]
    widths = [image.shape[1] for image in images]
    print(f"{len(images)} crops, {statistics.median(widths):.0f} px wide (median)")
    return images


if __name__ == "__main__":
    main()
