"""One line of one machine for all end-to-end tests: a home, a Prefect server, a gateway."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from deploy.background import pick_port


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


@dataclass(frozen=True)
class Line:
    """A machine that has run ``ocrline retrain smoke`` once."""

    home: Path
    endpoint: str

    def run(self, *arguments: str) -> Finished:
        """Run an ocrline command to its end."""
        return _finish(self.start(*arguments))

    def run_python(self, code: str, *arguments: str) -> Finished:
        """Run code in a process of this line's environment."""
        return _finish(self._start("-c", code, *arguments))

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start an ocrline command in a session of its own."""
        return self._start("-m", "cli.main", *arguments)

    def _start(self, *arguments: str) -> "subprocess.Popen[str]":
        ours = ("OCRLINE_", "MINIO_", "PREFECT_", "PYTHONDONTWRITEBYTECODE")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return subprocess.Popen(
            [sys.executable, *arguments],
            env={**inherited, "OCRLINE_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def retrain(self, *overrides: str) -> Finished:
        """Run the whole line on the smoke preset."""
        return self.run("retrain", "smoke", "--json", *self.sets(*overrides))

    def sets(self, *overrides: str) -> list[str]:
        """Turn overrides into arguments, the gateway's address among them."""
        every = (f"deployment.endpoint={self.endpoint}", *overrides)
        return [argument for override in every for argument in ("--set", override)]

    def served(self) -> str:
        """Return the version that the gateway serves."""
        models = httpx.get(f"{self.endpoint}/v1/models").json()["models"]
        return str({model["name"]: model for model in models}["smoke"]["version"])

    def champion(self) -> str:
        """Return the champion of the registry."""
        (model,) = self.run("models", "list", "--json").json
        return str(model["champion"])

    def stored(self, folder: str) -> set[str]:
        """Return what the store holds in a folder."""
        return {path.name for path in (self.home / "store" / folder).iterdir()}


def _finish(process: "subprocess.Popen[str]") -> Finished:
    out, err = process.communicate(timeout=240)
    return Finished(process.returncode, out, err)


@pytest.fixture(scope="session")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """The machine after its first run, which every test may build on."""
    line = Line(home=tmp_path_factory.mktemp("home"), endpoint=f"http://127.0.0.1:{pick_port(0)}")
    try:
        first = line.retrain()
        assert first.code == 0, first.err
        (line.home / "first.json").write_text(first.out)
        yield line
    finally:
        line.run("stop")
