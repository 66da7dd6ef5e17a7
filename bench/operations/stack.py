"""A stack of a home of its own, and the runs that its UI starts."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from configs.presets import load_params
from deploy.api import PrefectApi
from deploy.background import Service, find_service
from deploy.memory import StackMemory, write_memory
from deploy.ports import pick_port

DEPLOYMENT = "ocrline"
"""Of each flow, the one whose form takes any parameters."""
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
HOUR_S = 3600


class StackFailed(RuntimeError):
    """A command of ocrline that did not end well; says how."""


@dataclass
class Stack:
    """A home, the address of its gateway, and what its commands find in the environment."""

    home: Path
    endpoint: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, *words: str) -> str:
        """Run an ocrline command to its end and return what it printed.

        Raises:
            StackFailed: It ended with another code than 0.
        """
        ours = ("OCRLINE_", "MINIO_", "PREFECT_", "PYTHONDONTWRITEBYTECODE")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        ended = subprocess.run(
            [sys.executable, "-m", "cli.main", *words],
            env={**inherited, **self.variables, "OCRLINE_HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=HOUR_S,
            check=False,
        )
        if ended.returncode:
            raise StackFailed(f"ocrline {' '.join(words)}: {ended.returncode}: {ended.stderr}")
        return ended.stdout

    def service(self, name: str) -> Service | None:
        """Return the process of a service, if it lives."""
        return find_service(self.home / "services", name)

    @property
    def gateway(self) -> str:
        """The name of the gateway's service."""
        return f"gateway-{self.endpoint.rpartition(':')[2]}"

    @property
    def names(self) -> tuple[str, ...]:
        """The services that have to live."""
        return ("prefect", "worker", self.gateway, "keeper")

    def states(self) -> dict[str, str]:
        """Return what `ocrline status` says of each part."""
        return {
            part["name"]: part["state"]
            for part in json.loads(self.run("status", "--json"))["parts"]
        }

    def start(self, flow: str, preset: str, *overrides: str, until: str) -> str:
        """Start a run of a flow as the UI does; return its id."""
        every = [f"deployment.endpoint={self.endpoint}", *overrides]
        params = load_params(preset, overrides=every).model_dump(mode="json")
        found = self.ask("GET", f"/deployments/name/{flow}/{DEPLOYMENT}")
        body = {"parameters": {"params": params, "until": until}}
        return str(self.ask("POST", f"/deployments/{found['id']}/create_flow_run", body)["id"])

    def look(self, run: str) -> Any:
        """Return a run as the UI shows it; empty: the server does not answer."""
        try:
            return self.ask("GET", f"/flow_runs/{run}")
        except (httpx.HTTPError, StackFailed):
            return {}

    def is_at(self, run: str, task: str) -> bool:
        """Say whether a run is at work on a task."""
        body = {
            "flow_runs": {"id": {"any_": [run]}},
            "task_runs": {"state": {"type": {"any_": ["RUNNING"]}}},
        }
        found = self.ask("POST", "/task_runs/filter", body)
        return any(str(each["name"]).startswith(task) for each in found)

    def process_of(self, run: str) -> psutil.Process | None:
        """Return the process of a run, if it has one that lives."""
        pid = str(self.look(run).get("infrastructure_pid") or "")
        try:
            return psutil.Process(int(pid)) if pid else None
        except psutil.NoSuchProcess:
            return None

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Ask Prefect's server.

        Raises:
            StackFailed: There is none.
            httpx.HTTPError: It does not answer.
        """
        folder = self.home / "services"
        server = find_service(folder, "prefect")
        if server is None:
            raise StackFailed("Prefect's server does not run")
        api = PrefectApi(server.url, (folder / "prefect-password").read_text())
        try:
            return api.get(path) if method == "GET" else api.post(path, body or {})
        finally:
            api.close()


@contextmanager
def running_stack(home: Path, **variables: str) -> Iterator[Stack]:
    """Bring a stack up, and down at the end.

    Where others that start meanwhile prefer no port of it: what is away for a moment comes back.
    """
    stack = Stack(home, f"http://127.0.0.1:{pick_port(0)}", variables)
    (home / "services").mkdir(parents=True, exist_ok=True)
    write_memory(home / "services", StackMemory(port=pick_port(0)))
    try:
        stack.run("up", "--endpoint", stack.endpoint)
        yield stack
    finally:
        stack.run("down")


def processes_of(home: Path) -> list[str]:
    """Return the commands of all processes that work in a home."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("OCRLINE_HOME") == str(home):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found
