"""A retraining that left something to tell, and what MLflow's database holds of it."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainLinesParams
from tasks.keeping.record import Made
from tasks.references import CheckpointRef, JudgementRef
from tasks.workspace import open_workspace
from tests.tasks.conftest import ToyProject, empty, project

__all__ = ["empty", "project"]

EVENTS = (
    {"event": "step", "step": 3, "loss": 9.0, "lr": 0.1, "seconds_left": 7.5},
    {"event": "validation", "step": 6, "accuracy": 0.25, "ned": 0.5},
    {"event": "step", "step": 6, "loss": 8.0, "lr": 0.1},
    # Killed here, it went on from step 3.
    {"event": "step", "step": 6, "loss": 7.0, "lr": 0.1},
    {"event": "validation", "step": 6, "accuracy": 0.5, "ned": 0.75},
)


@dataclass(frozen=True)
class Retraining:
    """Its parameters, and what each stage made."""

    params: ProjectParams
    stages: tuple[tuple[str, Any], ...]

    def made(self) -> Made:
        """Return all of it."""
        made = Made()
        for _, each in self.stages:
            made.add(each)
        return made


@pytest.fixture
def retraining(project: ToyProject) -> Retraining:
    """A retraining of the toy project, whose candidate is promoted."""
    store = project.registry.store
    key = "checkpoints/c0/0"
    result = {"kind": "train-recogniser", "checkpoint": "checkpoint", "metrics": {}, "timings": {}}
    environment = {"code": "abc123", "device": "1 x cpu"}
    store.put_bytes(
        f"{key}/result.json", json.dumps({**result, "environment": environment}).encode()
    )
    store.put_bytes(
        f"{key}/metrics.jsonl", b"".join(json.dumps(e).encode() + b"\n" for e in EVENTS)
    )
    checkpoint = CheckpointRef(key=key, digest="c0", metrics={"accuracy": 0.5}, code="abc123")
    model = project.add("1")
    evaluation = project.evaluate(model)
    of = evaluation.key.rpartition("/")[2]
    store.put_bytes(f"reports/{of}/0.html", b"<img src='data:image/png;base64,a-face'>")
    project.promote("1")
    judgement = JudgementRef("promote", accepted=True, reasons=("It is better.",), report="r.html")
    params = load_params("smoke", overrides=["name=toy"])
    assert isinstance(params, RetrainLinesParams)
    return Retraining(
        params,
        (
            ("prepare", project.dataset),
            ("train", checkpoint),
            ("export", model),
            ("evaluate", evaluation),
            ("judge", judgement),
            ("deploy", judgement),
        ),
    )


def database() -> Path:
    return open_workspace().home / "mlflow" / "mlflow.db"


def ask(statement: str, path: Path | None = None) -> list[tuple[Any, ...]]:
    """Ask MLflow's database."""
    with closing(sqlite3.connect(path or database())) as opened:
        return opened.execute(statement).fetchall()


def curve(name: str, path: Path | None = None) -> list[tuple[int, float]]:
    """Return the points of a curve."""
    return ask(f"SELECT step, value FROM metrics WHERE key = '{name}' ORDER BY step", path)
