"""Requests per second of each way to share the work, beside the gateway and the bare engine.

    python -m bench.serve.designs MODEL [--rounds N] [--seconds S]

MODEL is a recogniser of the registry, its champion is served, also in float32 where it is read in 8
bits. What ADR 12 decides on stands here: how much each way reads when all is left out that a
gateway is for. wrk asks.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from bench.serve.peers.bare import measure_bare
from bench.serve.peers.float32 import forms_of
from bench.serve.peers.servers import Crop, Running, gateway, read_crops
from bench.serve.peers.wrk import Questions, ask, find_wrk
from bench.serve.process_tree import cpu_s, process_tree
from deploy.ports import pick_port
from ocr.processors import count_processors
from tasks.workspace import open_workspace

CONNECTIONS = (8, 32)
WARM_UP_S = 1.0
Row = tuple[str, str, str, str, str]
Share = tuple[int, int, int]
"""Of a stripped gateway: how many of it, and each one's threads and processes that read."""


def main() -> None:
    """Measure each in turn, as often as asked, and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve.designs", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=4, help="per row")
    options = parser.parse_args()
    find_wrk()
    workspace = open_workspace()
    version = workspace.registry.resolve(options.model)
    table = Table(
        "form", "round", "who takes, who reads", "clients", "requests/s", "of bare", "CPU ms each"
    )
    with tempfile.TemporaryDirectory() as folder:
        served = workspace.fetch_bundle(version)
        forms = forms_of(served, store=workspace.store.uri, folder=Path(folder))
        for number in range(options.rounds):
            for form, (store, bundle) in forms.items():
                rows = _measure_all(version.name, store, bundle, seconds=options.seconds)
                for row in rows:
                    table.add_row(form, str(number), *row)
    Console(width=120).print(table)


def _measure_all(name: str, store: str, bundle: Path, *, seconds: int) -> Iterator[Row]:
    crops = read_crops(bundle)
    bare = measure_bare(bundle, crops, seconds=seconds)
    yield "nobody takes: the bare engine", "", f"{bare:,.0f}", "1", ""
    for design, share in _shares(count_processors()).items():
        with _stripped(bundle, crops, share) as running:
            yield from _measure(design, running, bare=bare, seconds=seconds)
    with gateway(store, name, "onnxruntime", crops) as ours:
        yield from _measure("the gateway", [ours], bare=bare, seconds=seconds)


def _shares(cores: int) -> dict[str, Share]:
    return {
        f"{cores} processes, each takes and reads": (cores, 1, 0),
        f"one takes, {cores} others read": (1, 0, cores),
        f"one takes and reads, {cores - 1} other reads": (1, 1, cores - 1),
    }


@contextmanager
def _stripped(bundle: Path, crops: Sequence[Crop], share: Share) -> Iterator[list[Running]]:
    count, *words = share
    port = pick_port(0)
    asks = [(crop.content, json.dumps(crop.text, ensure_ascii=False).encode()) for crop in crops]
    questions = Questions("/", {"Content-Type": "image/jpeg"}, asks)
    command = [sys.executable, "-m", "bench.serve.designs.stripped", str(bundle), str(port)]
    processes = [
        subprocess.Popen(
            [*command, *map(str, words)], stdout=subprocess.PIPE, start_new_session=True
        )
        for _ in range(count)
    ]
    try:
        for process in processes:
            if not (process.stdout and process.stdout.readline()):
                raise RuntimeError("a stripped gateway did not start; its error is above")
        yield [Running(port, psutil.Process(process.pid), questions) for process in processes]
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _measure(name: str, running: list[Running], *, bare: float, seconds: int) -> Iterator[Row]:
    port, questions = running[0].port, running[0].questions
    for connections in CONNECTIONS:
        ask(port, questions, connections=connections, seconds=WARM_UP_S)
        before_s = _cpu_s(running)
        counted = ask(port, questions, connections=connections, seconds=seconds)
        used_ms = (_cpu_s(running) - before_s) * 1e3 / counted["requests"]
        rate = counted["requests"] / counted["seconds"]
        if counted["errors"] or counted["wrong"]:
            raise RuntimeError(f"{name}: {counted['errors']} errors, {counted['wrong']} wrong")
        yield name, str(connections), f"{rate:,.0f}", f"{rate / bare:.2f}", f"{used_ms:.2f}"
        time.sleep(0.5)


def _cpu_s(running: list[Running]) -> float:
    return sum(cpu_s(process_tree(each.process)) for each in running)


if __name__ == "__main__":
    main()
