"""A machine for all end-to-end tests: a home of its own, a Prefect server, a gateway."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from deploy.ports import pick_port
from tests.prefect_tables import give_tables

COMMAND_S = 600


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for machines."""
        return json.loads(self.out)

    @property
    def version(self) -> str:
        """The version that a retraining judged; its report is named after it."""
        return Path(self.json["report"]).stem.rpartition("-")[2]


@dataclass(frozen=True)
class Machine:
    """A machine of its own: a home with a store and services, and the address of its gateway."""

    home: Path
    endpoint: str
    preset: str = "smoke"
    timeout_s: float = COMMAND_S
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str) -> Finished:
        """Run an ocrline command to its end."""
        return _finish(self.start(*arguments), timeout_s=self.timeout_s)

    def run_python(self, code: str, *arguments: str) -> Finished:
        """Run code in a process of this machine's environment."""
        return _finish(self._start("-c", code, *arguments), timeout_s=self.timeout_s)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start an ocrline command in a session of its own."""
        return self._start("-m", "cli.main", *arguments)

    def _start(self, *arguments: str) -> "subprocess.Popen[str]":
        ours = ("OCRLINE_", "MINIO_", "PREFECT_", "PYTHONDONTWRITEBYTECODE")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return subprocess.Popen(
            [sys.executable, *arguments],
            env={**inherited, **self.variables, "OCRLINE_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def retrain(self, *overrides: str) -> Finished:
        """Retrain its preset, every stage."""
        return self.run("retrain", self.preset, "--json", *self.sets(*overrides))

    def sets(self, *overrides: str) -> list[str]:
        """Turn overrides into arguments, the gateway's address among them."""
        every = (f"deployment.endpoint={self.endpoint}", *overrides)
        return [argument for override in every for argument in ("--set", override)]

    def served(self) -> str:
        """Return the version that the gateway serves."""
        models = httpx.get(f"{self.endpoint}/v1/models", timeout=60).json()["models"]
        return str({model["name"]: model for model in models}[self.preset]["version"])

    def champion(self) -> str:
        """Return the champion of the registry."""
        models = self.run("models", "list", "--json").json
        return str({model["name"]: model for model in models}[self.preset]["champion"])

    def golden(self) -> Path:
        """Return the golden folder of the champion's local bundle."""
        return next(self.home.glob(f"bundles/**/{self.preset}/{self.champion()}/golden"))

    def stored(self, folder: str) -> set[str]:
        """Return what the store holds in a folder."""
        return {path.name for path in (self.home / "store" / folder).iterdir()}


def _finish(process: "subprocess.Popen[str]", *, timeout_s: float) -> Finished:
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with its job; the services have their own session
        process.communicate()
        raise
    return Finished(process.returncode, out, err)


@contextmanager
def new_machine(
    home: Path, *, preset: str = "smoke", timeout_s: float = COMMAND_S, **variables: str
) -> Iterator[Machine]:
    """Set up a machine on which no run was yet; its services end with the block."""
    home.mkdir(mode=0o700, exist_ok=True)
    give_tables(home / "prefect")
    endpoint = f"http://127.0.0.1:{pick_port(0)}"
    machine = Machine(
        home=home, endpoint=endpoint, preset=preset, timeout_s=timeout_s, variables=variables
    )
    try:
        yield machine
    finally:
        machine.run("down")


@pytest.fixture(scope="module")
def fresh_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine on which nothing has run yet."""
    with new_machine(tmp_path_factory.mktemp("home")) as machine:
        yield machine


@pytest.fixture(scope="module")
def first(fresh_machine: Machine) -> Finished:
    """The first run, whose candidate becomes the champion and stays it."""
    finished = fresh_machine.retrain()
    assert finished.code == 0, finished.err
    return finished


@pytest.fixture(scope="module")
def machine(fresh_machine: Machine, first: Finished) -> Machine:
    """The machine after its first run, which every test may build on and leaves as it was."""
    return fresh_machine


@pytest.fixture(scope="module")
def worse(machine: Machine) -> Finished:
    """A run whose candidate is worse than the champion."""
    return machine.retrain("training.epochs=1")
