"""A gateway under load for a long time: its errors, its latencies and what it holds.

    python -m bench.serve.soak [MODEL] [--minutes 20] [--json FILE]

MODEL is a recogniser or a pipeline of the registry, whose champion is served; without it a net of
random weights is. Its golden crops, and one golden page of a pipeline after 49 of them, are asked
at 80 % of what the gateway answers to connections that ask without a pause, and each answer is
compared with that of a calm request. Every half minute another version is promoted, or rolled
back. Exit 1 where a request failed, an answer was wrong, the load was not kept up (something else
ran beside it), or memory, descriptors or threads grew.
"""

import argparse
import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from bench.serve.gateway import Gateway, running_gateway
from bench.serve.load_generator.generator import Plan
from bench.serve.load_generator.load import SteadyLoad, measure_capacity
from bench.serve.process_tree import cpu_s, process_tree
from bench.serve.served_model import ServedModel, expect_readings, make_model
from bench.serve.soak.minutes import Minute, sample_minutes
from bench.serve.soak.verdict import judge

CONNECTIONS: Final = 32
CAPACITY_S: Final = 8.0
SHARE: Final = 0.8
ROW: Final = "{:>6}{:>10}{:>8}{:>7}{:>9}{:>9}{:>9}{:>13}{:>9}"
COLUMNS: Final = (
    *("minute", "requests", "errors", "wrong", "p50 ms", "p99 ms"),
    *("PSS MiB", "descriptors", "threads"),
)


def main() -> int:
    """Soak, print the table and the verdict, write what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve.soak", description=__doc__)
    parser.add_argument("model", nargs="?", default="")
    parser.add_argument("--minutes", type=int, default=20, help="2 or more")
    parser.add_argument("--json", type=Path, help="file for what was found")
    options = parser.parse_args()
    if options.minutes < 2:
        parser.error(f"--minutes {options.minutes}: the first warms up, expected 2 or more")
    console = Console(width=120, markup=False, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder), options.model)
        store = model.registry.store.uri
        with running_gateway(
            Path(folder) / "home", store=store, models=model.name, engine="onnxruntime"
        ) as gateway:
            found = _soak(model, gateway, minutes=options.minutes, console=console)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    for fault in found["faults"]:
        console.print(fault, soft_wrap=True)
    console.print("failed" if found["faults"] else "passed")
    return 1 if found["faults"] else 0


def _soak(
    model: ServedModel, gateway: Gateway, *, minutes: int, console: Console
) -> dict[str, Any]:
    questions = expect_readings(model, gateway)
    plan = Plan(gateway.port, questions, rate=0, connections=CONNECTIONS)
    capacity = measure_capacity(plan, seconds=CAPACITY_S)
    rate = SHARE * capacity
    console.print(f"{capacity:.0f} requests/s at most; {rate:.0f} are asked, 80 %")
    console.print(ROW.format(*COLUMNS))
    passed: list[Minute] = []
    before_s = cpu_s(process_tree(gateway.process))
    with SteadyLoad(replace(plan, rate=rate)) as load:
        for minute in sample_minutes(model, gateway, load, minutes=minutes):
            passed.append(minute)
            console.print(_row(minute))
        gateway_s, generator_s = cpu_s(process_tree(gateway.process)) - before_s, load.cpu_s
    requests = sum(minute.requests for minute in passed)
    costs = {"gateway": gateway_s, "generator": generator_s}
    cpu_ms = {who: round(seconds / requests * 1e3, 3) for who, seconds in costs.items()}
    told = f"gateway {cpu_ms['gateway']}, what asks {cpu_ms['generator']}"
    console.print(f"processor ms a request: {told}")
    return {
        "model": f"{model.name}:{model.first}",
        "capacity_per_s": round(capacity, 1),
        "rate_per_s": round(rate, 1),
        "cpu_ms_per_request": cpu_ms,
        "minutes": [asdict(minute) for minute in passed],
        "faults": judge(passed, rate=rate, versions=(model.first, model.second)),
    }


def _row(minute: Minute) -> str:
    counts = (minute.number, minute.requests, minute.errors, minute.wrong)
    latencies = (f"{minute.p50_ms:.2f}", f"{minute.p99_ms:.2f}")
    held = (f"{minute.pss_mib:.1f}", minute.descriptors, minute.threads)
    return ROW.format(*counts, *latencies, *held)


if __name__ == "__main__":
    raise SystemExit(main())
