"""Requests per second and latency of the gateway beside the bare models, in one run.

python -m bench.serve [--seconds 3] [--model plates] [--engine paddle]

The gateway has its default settings: a lone request uses every core, many have one each. The bare
models do the same.

Without --model, a net of random weights and the embedded trainer's base size is served (not by
Paddle Serving, whose form it lacks). A pipeline reads its golden pages, a recogniser its golden
crops.
"""

import argparse
import base64
import http.client
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.serve.gateway import running_gateway
from bench.serve.load import Ask, Load, measure
from bench.serve.untrained_bundle import write_untrained_bundle
from ocr.image.pixels import Image, decode_image, encode_jpeg
from ocr.models.golden import read_golden_inputs, read_golden_pages
from ocr.models.registry import ModelVersion, Registry
from ocr.processors import count_processors
from ocr.reading.cores import Cores
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from serving.settings import Engine
from tasks.readers import load_pipeline
from tasks.workspace import Workspace, open_workspace

MAX_PIXELS = 20_000_000
CROPS = 64
BATCH = 16
CORES = count_processors()


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="per row")
    parser.add_argument("--model", default="", help="a model of the registry, its champion")
    parser.add_argument("--engine", default="onnxruntime", choices=get_args(Engine))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loads = _measure(
            options.model, home=Path(folder), engine=options.engine, seconds=options.seconds
        )
    table = Table("", "clients", "requests/s", "images/s", "p50 ms", "p95 ms", title="bench.serve")
    for load in loads:
        table.add_row(*load.row)
    Console().print(table)


def _measure(model: str, *, home: Path, engine: str, seconds: float) -> list[Load]:
    if not model:
        return _measure_lines(_make(home), home=home, engine=engine, seconds=seconds)
    workspace = open_workspace()
    version = workspace.registry.resolve(model)
    if version.task == "pipeline":
        return _measure_pages(workspace, version, home=home, engine=engine, seconds=seconds)
    bundle = workspace.fetch_bundle(version)
    return _measure_lines(bundle, home=home, engine=engine, seconds=seconds)


def _measure_pages(
    workspace: Workspace, version: ModelVersion, *, home: Path, engine: str, seconds: float
) -> list[Load]:
    """Measure the champion: a gateway serves no other version."""
    golden = read_golden_pages(workspace.fetch_bundle(version))
    pages = [encode_jpeg(_decode(page.image.read_bytes())) for page in golden]
    reader = load_pipeline(workspace, version.reference, threads=CORES)
    bare = _measure_bare_pages(reader, pages, seconds=seconds)
    store = workspace.store.uri
    with running_gateway(home, store=store, models=version.name, engine=engine) as gateway:
        asks = _asks(gateway.port, pages, path="/v1/ocr")
        return bare + [
            measure(f"gateway ({engine}), JPEG page in", asks[:clients], seconds=seconds)
            for clients in (1, 4, 8)
        ]


def _measure_bare_pages(
    reader: PageReader, pages: Sequence[bytes], *, seconds: float
) -> list[Load]:
    def read(number: int) -> object:
        return reader.read(_decode(pages[number % len(pages)]))

    what = "bare PageReader, JPEG page in"
    return [measure(what, [read] * clients, seconds=seconds) for clients in (1, 4)]


def _measure_lines(bundle: Path, *, home: Path, engine: str, seconds: float) -> list[Load]:
    crops = [encode_jpeg(image) for image in _crops(bundle)]
    registry = Registry(open_store(str(home / "store")))
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    registry.register(manifest["name"], manifest["version"], bundle)
    registry.promote(manifest["name"], manifest["version"], reason="benchmark")
    bare = _measure_bare_lines(bundle, crops, seconds=seconds)
    with running_gateway(home, store=registry.store.uri, models="", engine=engine) as gateway:
        return bare + _measure_requests(gateway.port, crops, engine=engine, seconds=seconds)


def _measure_bare_lines(bundle: Path, crops: Sequence[bytes], *, seconds: float) -> list[Load]:
    recogniser = OnnxRecogniser.load(bundle, cores=Cores(CORES))
    batch = [_decode(crop) for crop in crops[:BATCH]]

    def decode_and_read(number: int) -> object:
        return recogniser.recognise([_decode(crops[number % len(crops)])])

    return [
        measure("bare OnnxRecogniser, JPEG in", [decode_and_read], seconds=seconds),
        measure("bare OnnxRecogniser, JPEG in", [decode_and_read] * 2, seconds=seconds),
        measure(
            f"bare OnnxRecogniser, {BATCH} decoded images a call",
            [lambda _: recogniser.recognise(batch)],
            images=BATCH,
            seconds=seconds,
        ),
    ]


def _measure_requests(
    port: int, crops: Sequence[bytes], *, engine: str, seconds: float
) -> list[Load]:
    texts = [base64.b64encode(crop).decode() for crop in crops[:BATCH]]
    batch = json.dumps({"images": texts}).encode()

    def many() -> Ask:
        connection = _connect(port)
        return lambda _: _post(connection, "/v1/recognize", batch, "application/json")

    def nothing() -> Ask:
        connection = _connect(port)
        return lambda _: _get(connection, "/health/live")

    raw = _asks(port, crops, path="/v1/recognize")
    gateway = f"gateway ({engine})"
    return [
        measure("gateway, GET /health/live", [nothing()], seconds=seconds),
        measure(f"{gateway}, JPEG in", raw[:1], seconds=seconds),
        measure(f"{gateway}, JPEG in", raw, seconds=seconds),
        measure(f"{gateway}, {BATCH} in JSON", [many()], images=BATCH, seconds=seconds),
        measure(
            f"{gateway}, {BATCH} in JSON", [many() for _ in range(8)], images=BATCH, seconds=seconds
        ),
    ]


def _asks(port: int, images: Sequence[bytes], *, path: str) -> list[Ask]:
    """Make eight clients, each with a connection of its own."""

    def client() -> Ask:
        connection = _connect(port)
        return lambda number: _post(connection, path, images[number % len(images)], "image/jpeg")

    return [client() for _ in range(8)]


def _connect(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60)


def _post(connection: http.client.HTTPConnection, path: str, body: bytes, kind: str) -> bytes:
    connection.request("POST", path, body, {"Content-Type": kind})
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


def _make(folder: Path) -> Path:
    random = np.random.default_rng(0)
    images = [random.integers(0, 256, (40, 160, 3), dtype=np.uint8) for _ in range(CROPS)]
    return write_untrained_bundle(folder / "bundle", images=images)


def _crops(bundle: Path) -> list[Image]:
    images = list(read_golden_inputs(bundle))
    widths = [image.shape[1] for image in images]
    print(f"{len(images)} crops, {statistics.median(widths):.0f} px wide (median)")
    return images


def _decode(data: bytes) -> Image:
    return decode_image(data, max_pixels=MAX_PIXELS)


if __name__ == "__main__":
    main()
