"""What operating costs: from the click to the first training step, and beside the bare job.

    python -m bench.operations.cost [PRESET] [--rounds 3] [--set training.epochs=40 ...]

A stack of its own, in a folder that goes with it. Each round starts the preset's retraining as the
UI does, with another seed, then runs the very same training job again by itself, from a terminal.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from configs.presets import load_params
from configs.retrain import RetrainPagesParams
from configs.settings import Settings
from deploy.api import PrefectApi
from deploy.background import clean_environment, find_service
from deploy.parts import server
from deploy.password import read_private
from deploy.ports import pick_port
from deploy.services import password_file, services_folder, stop_services
from deploy.stack import bring_up

POLL_S = 0.02
TIMEOUT_S = 3600.0
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


@dataclass(frozen=True)
class Round:
    """Seconds of one retraining: click to first step, its stages, and the bare job's."""

    to_first_step: float
    stages: dict[str, float]
    bare: float

    @property
    def overhead(self) -> float:
        """What the train stage took more than the bare job, as a part of that."""
        return self.stages["train"] / self.bare - 1


def main() -> None:
    """Measure the rounds and print what they took."""
    parser = argparse.ArgumentParser(prog="python -m bench.operations.cost", description=__doc__)
    parser.add_argument("preset", nargs="?", default="smoke", help="of lines")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    options = parser.parse_args()
    with _stack() as (settings, api):
        rounds = [
            _measure(settings, api, options.preset, [*options.overrides, f"training.seed={number}"])
            for number in range(1, options.rounds + 1)
        ]
    Console(width=120).print(tabulate(rounds, title=" ".join([options.preset, *options.overrides])))


def tabulate(rounds: Sequence[Round], *, title: str) -> Table:
    """Return a row for each figure: every round's, and the median."""
    table = Table(title=title, title_justify="left")
    for column in ("seconds", *(f"round {n}" for n in range(1, len(rounds) + 1)), "median"):
        table.add_column(column, justify="right" if column != "seconds" else "left")
    _add_row(table, "click to first training step", [each.to_first_step for each in rounds])
    for stage in rounds[0].stages:
        _add_row(table, f"stage {stage}", [each.stages[stage] for each in rounds])
    _add_row(table, "the same job alone", [each.bare for each in rounds])
    shares = [each.overhead for each in rounds]
    median = f"{statistics.median(shares):+.1%}"
    table.add_row("stage train beside it", *(f"{share:+.1%}" for share in shares), median)
    return table


def _add_row(table: Table, name: str, seconds: Sequence[float]) -> None:
    table.add_row(name, *(f"{each:.1f}" for each in seconds), f"{statistics.median(seconds):.1f}")


@contextmanager
def _stack() -> Iterator[tuple[Settings, PrefectApi]]:
    with tempfile.TemporaryDirectory(prefix="cost-") as home:
        for name in [each for each in os.environ if each.startswith(("OCRLINE_", "PREFECT_"))]:
            del os.environ[name]
        os.environ["OCRLINE_HOME"] = home
        settings = Settings()
        try:
            for _ in bring_up(settings, f"http://127.0.0.1:{pick_port(0)}"):
                continue
            found = find_service(services_folder(settings), server.NAME)
            if found is None:
                raise RuntimeError("Prefect's server ended")
            api = PrefectApi(found.url, read_private(password_file(settings)))
            yield settings, api
            api.close()
        finally:
            stop_services(settings)


def _measure(settings: Settings, api: PrefectApi, preset: str, overrides: Sequence[str]) -> Round:
    params = load_params(preset, overrides=overrides)
    if isinstance(params, RetrainPagesParams):
        raise SystemExit(f"{preset} trains two nets at once, expected a preset of lines")
    deployment = api.get("/deployments/name/retrain-lines/ocrline")["id"]
    clicked = time.monotonic()
    run = api.post(
        f"/deployments/{deployment}/create_flow_run",
        {"parameters": {"params": params.model_dump(mode="json"), "until": "judge"}},
    )["id"]
    with tempfile.TemporaryDirectory(prefix="cost-job-") as folder:
        bare = Path(folder) / "job"
        metrics = _wait_for_first_step(settings.home, api, run)
        first_step = time.monotonic() - clicked
        bare.mkdir()
        shutil.copy(metrics.with_name("job.json"), bare)
        _wait_for_end(api, run)
        stages = _read_stages(api, run)
        return Round(first_step, stages, _run_bare(bare))


def _wait_for_first_step(home: Path, api: PrefectApi, run: str) -> Path:
    """Return the file that the training writes its steps to, as soon as it has one."""
    deadline, looked = time.monotonic() + TIMEOUT_S, 0.0
    while time.monotonic() < deadline:
        found = [each for each in home.glob("jobs/train-*/metrics.jsonl") if each.stat().st_size]
        if found:
            return found[0]
        if time.monotonic() - looked > 1:
            looked = time.monotonic()
            _refuse_failure(api.get(f"/flow_runs/{run}"))
        time.sleep(POLL_S)
    raise TimeoutError("no training step")


def _wait_for_end(api: PrefectApi, run: str) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        found = api.get(f"/flow_runs/{run}")
        if found["state_type"] == "COMPLETED":
            return
        _refuse_failure(found)
        time.sleep(1)
    raise TimeoutError("the run did not end")


def _refuse_failure(run: dict[str, Any]) -> None:
    if run["state_type"] in ENDED and run["state_type"] != "COMPLETED":
        raise RuntimeError(f"the run ended otherwise: {run['state']}")


def _read_stages(api: PrefectApi, run: str) -> dict[str, float]:
    """Return how long each task took, in the order in which they began."""
    tasks = api.post("/task_runs/filter", {"flow_runs": {"id": {"any_": [run]}}})
    ordered = sorted(tasks, key=lambda each: str(each["start_time"]))
    return {_name(each["name"]): float(each["total_run_time"]) for each in ordered}


def _name(task: str) -> str:
    return "train" if task.startswith("train-recogniser") else task.rpartition("-")[0]


def _run_bare(folder: Path) -> float:
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "training", "train-recogniser", str(folder / "job.json")],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.monotonic() - began


if __name__ == "__main__":
    main()
