"""A machine and its server as a team uses them: commands, the UI's runs, the REST endpoint."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import httpx

from deploy.api import PrefectApi
from tests.end_to_end.conftest import Machine

PATIENCE_S = 600
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
NAME = "digits"
Found = TypeVar("Found")


class Team:
    """Commands of a machine, and questions to what it runs."""

    def __init__(self, machine: Machine) -> None:
        """Take a machine that is not up yet."""
        self.machine = machine
        self.services = machine.home / "services"

    def command(self, *words: str) -> str:
        """Run an ocrline command that must succeed; return what it printed."""
        done = self.machine.run(*words)
        assert done.code == 0, done.err
        return done.out

    @property
    def login(self) -> str:
        """Of Prefect's UI."""
        return (self.services / "prefect-password").read_text(encoding="utf-8").strip()

    @property
    def url(self) -> str:
        """Of Prefect's server."""
        return str(json.loads((self.services / "prefect.json").read_text(encoding="utf-8"))["url"])

    def find_deployment(self, name: str) -> str:
        """Return the id of a deployment."""
        return str(self._ask("GET", f"/deployments/name/{name}")["id"])

    def wait_for_run(self, deployment: str, states: tuple[str, ...], number: int = 1) -> str:
        """Wait until the deployment's run of a number is in one of the states; return its id.

        Runs that a schedule made for later days do not count.
        """

        def look() -> str | None:
            runs = self._ask(
                "POST",
                "/flow_runs/filter",
                deployments={"id": {"any_": [deployment]}},
                flow_runs={"state": {"type": {"not_any_": ["SCHEDULED"]}}},
                sort="EXPECTED_START_TIME_ASC",
            )
            if len(runs) < number:
                return None
            run = runs[number - 1]
            ended_otherwise = run["state_type"] in ENDED and run["state_type"] not in states
            assert not ended_otherwise, run["state"]
            return str(run["id"]) if run["state_type"] in states else None

        return wait_for(look, f"a run that is {' or '.join(states).lower()}")

    def champion(self) -> str:
        """Return the version that the gateway answers with; empty: none."""
        reply = httpx.get(f"{self.machine.endpoint}/v1/models", trust_env=False).json()
        versions = [model["version"] for model in reply["models"] if model["name"] == NAME]
        return str(versions[0]) if versions else ""

    def read(self, crop: Path) -> dict[str, Any]:
        """Ask the gateway about a crop."""
        reply = httpx.post(
            f"{self.machine.endpoint}/v1/recognize?model={NAME}",
            content=crop.read_bytes(),
            headers={"content-type": "image/jpeg"},
            trust_env=False,
        )
        answer: dict[str, Any] = reply.raise_for_status().json()
        return answer

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        api = PrefectApi(self.url, self.login)
        try:
            return api.get(path) if method == "GET" else api.post(path, body)
        finally:
            api.close()


def wait_for(look: Callable[[], Found | None], what: str) -> Found:
    """Wait until something is found, `PATIENCE_S` at most."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(1)
    raise TimeoutError(f"waited in vain for {what}")
