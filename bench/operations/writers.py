"""Prefect's server on SQLite while many write: ``python -m bench.operations.writers``.

As Prefect starts it, and as the stack does. ``--clients`` begin runs, tasks and logs without a
pause for ``--seconds``; beside them runs are counted, as the UI does.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import httpx
from rich.console import Console
from rich.table import Table

from bench.operations.prefect_server import run
from deploy.parts.server import PROCESS

SERVERS = {"prefect": "Prefect's", PROCESS: "ours"}
ANSWER_S = 180
TASKS = 4


@dataclass(frozen=True)
class Answered:
    """One answer: its status, 0 of none, and the seconds until it came."""

    code: int
    seconds: float


def main() -> None:
    """Load both servers, one after the other, and print what they answered."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 3, 12])
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    table = Table("clients", "server", "answers", "refused", "median, s", "longest, s")
    for clients in arguments.clients:
        for module, name in SERVERS.items():
            with (
                tempfile.TemporaryDirectory(prefix="writers-") as folder,
                run(module, folder) as url,
            ):
                told = load(f"{url}/api", clients=clients, seconds=arguments.seconds)
            taken = sorted(each.seconds for each in told)
            refused = sum(not httpx.codes.is_success(each.code) for each in told)
            shown = (f"{taken[len(taken) // 2]:.3f}", f"{taken[-1]:.1f}")
            table.add_row(str(clients), name, str(len(told)), str(refused), *shown)
    Console().print(table)


def load(api: str, *, clients: int, seconds: float) -> list[Answered]:
    """Write and read until the time is over; return every answer."""
    with httpx.Client(base_url=api, timeout=ANSWER_S) as client:
        flow = client.post("/flows/", json={"name": "load"}).raise_for_status().json()["id"]
        told: list[Answered] = []

        def ask(path: str, body: Any) -> dict[str, Any]:
            began = time.monotonic()
            try:
                answer = client.post(path, json=body)
            except httpx.HTTPError:
                told.append(Answered(0, time.monotonic() - began))
                return {}
            told.append(Answered(answer.status_code, time.monotonic() - began))
            return answer.json() if answer.is_success and isinstance(body, dict) else {}

        end = time.monotonic() + seconds
        work = [*[partial(_run, ask, flow)] * clients, partial(_look, ask)]
        with ThreadPoolExecutor(len(work)) as pool:
            list(pool.map(partial(_until, end), work))
    return told


def _until(end: float, do: Callable[[], None]) -> None:
    while time.monotonic() < end:
        do()


def _run(ask: Callable[[str, Any], dict[str, Any]], flow: str) -> None:
    run = ask("/flow_runs/", {"flow_id": flow, "state": {"type": "RUNNING"}}).get("id")
    for number in range(TASKS if run else 0):
        key = {"task_key": "load", "dynamic_key": str(number)}
        ask("/task_runs/", {"flow_run_id": run, **key, "state": {"type": "RUNNING"}})
        line = {"name": "load", "level": 20, "message": str(uuid4()), "flow_run_id": run}
        ask("/logs/", [{**line, "timestamp": datetime.now(UTC).isoformat()}])
    if run:
        ask(f"/flow_runs/{run}/set_state", {"state": {"type": "COMPLETED"}, "force": True})


def _look(ask: Callable[[str, Any], dict[str, Any]]) -> None:
    ask("/flow_runs/count", {})
    time.sleep(0.2)


if __name__ == "__main__":
    main()
