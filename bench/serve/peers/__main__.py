"""Requests per second of the gateway and of other servers, with the same net and images.

    python -m bench.serve.peers MODEL [--images FOLDER] [--json FILE] [--paddlex COMMAND]

MODEL is a recogniser of the registry; its champion is served, also in float32 where it is read in 8
bits, for the others read nothing else. wrk asks. Paddle Serving is there after `make
serving-runtime`, as PaddleOCR sets it and with the fastest settings that we know, and listens on
every address: run all of it where there is only loopback, with `unshare --net`. PaddleX is there
where `--paddlex` says its command, and finds lines with the detector of `--detector`.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from bench.serve.peers.bare import measure_bare
from bench.serve.peers.float32 import forms_of
from bench.serve.peers.servers import (
    Crop,
    PipelineSettings,
    Running,
    gateway,
    paddle_serving,
    paddlex,
    read_crops,
)
from bench.serve.peers.wrk import ask, find_wrk
from bench.serve.process_tree import cpu_s, process_tree, rss_mib
from configs.settings import SettingsError
from ocr.models.bundle import read_recogniser_manifest
from ocr.processors import count_processors
from serving.settings import ServingSettings
from tasks.workspace import open_workspace

CONNECTIONS = (1, 8, 32, 64)
WARM_UP_S = 1.0


def main() -> None:
    """Measure, print the table, write the rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve.peers", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--images", type=Path, help="folder of JPEG crops; else the golden ones")
    parser.add_argument("--seconds", type=int, default=4, help="per row")
    parser.add_argument("--json", type=Path, help="file for the rows")
    parser.add_argument("--paddlex", type=Path, help="PaddleX's command")
    parser.add_argument("--detector", default="", help="of the registry, for PaddleX")
    options = parser.parse_args()
    find_wrk()
    with tempfile.TemporaryDirectory() as folder:
        rows, facts = _measure_all(options, Path(folder))
    rows = [{"server": row.pop("server"), **facts, **row} for row in rows]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    _print(rows)


def _measure_all(
    options: argparse.Namespace, folder: Path
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure every server, one after the other; return the rows, and what all have in common."""
    workspace = open_workspace()
    version = workspace.registry.resolve(options.model)
    name, served = version.name, workspace.fetch_bundle(version)
    servers: dict[str, AbstractContextManager[Running]] = {}
    rows: list[dict[str, Any]] = []
    for form, (store, bundle) in forms_of(served, store=workspace.store.uri, folder=folder).items():
        crops = read_crops(bundle, options.images)
        rows.append(_bare(bundle, crops, form=form, seconds=options.seconds))
        servers[f"gateway, ONNX Runtime, {form}"] = gateway(store, name, "onnxruntime", crops)
    # The others read float32 alone.
    servers["gateway, Paddle Inference"] = gateway(store, name, "paddle", crops)
    python = ServingSettings().paddle_serving_python
    if python.is_file():
        servers["gateway, Paddle Serving"] = gateway(store, name, "paddle-serving", crops)
        for settings in get_args(PipelineSettings):
            running = paddle_serving(python, bundle, crops, settings)
            servers[f"Paddle Serving, {settings}"] = running
    if options.paddlex:
        detector = workspace.fetch_bundle(workspace.registry.resolve(options.detector))
        servers["PaddleX"] = paddlex(options.paddlex, detector, bundle, crops)
    for server, starting in servers.items():
        try:
            with starting as started:
                rows += _measure(server, started, seconds=options.seconds)
        except SettingsError as error:
            print(f"{server} is left out: {error}")
    width_px = read_recogniser_manifest(bundle).input.width_px
    return rows, {"net": version.reference, "width_px": width_px}


def _bare(bundle: Path, crops: Sequence[Crop], *, form: str, seconds: float) -> dict[str, Any]:
    rate = measure_bare(bundle, crops, seconds=seconds)
    count = count_processors()
    return {
        "server": f"bare ONNX Runtime, {form}, {count} threads",
        "requests_per_s": round(rate, 1),
    }


def _measure(server: str, running: Running, *, seconds: float) -> Iterator[dict[str, Any]]:
    for connections in CONNECTIONS:
        ask(running.port, running.questions, connections=connections, seconds=WARM_UP_S)
        before_s = cpu_s(process_tree(running.process))
        counted = ask(running.port, running.questions, connections=connections, seconds=seconds)
        used_ms = (cpu_s(process_tree(running.process)) - before_s) * 1e3
        requests = max(counted["requests"], 1)
        yield {
            "server": server,
            "connections": connections,
            "requests_per_s": round(counted["requests"] / counted["seconds"], 1),
            "p50_ms": round(counted["p50_ms"], 2),
            "p99_ms": round(counted["p99_ms"], 2),
            "errors": counted["errors"],
            "wrong": counted["wrong"],
            "cpu_ms_per_request": round(used_ms / requests, 3),
            "rss_mib": round(rss_mib(process_tree(running.process))),
        }
        time.sleep(0.5)


def _print(rows: Sequence[dict[str, Any]]) -> None:
    columns = list(rows[-1])
    table = Table(*columns, title="bench.serve.peers")
    for row in rows:
        table.add_row(*(str(row.get(column, "")) for column in columns))
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
