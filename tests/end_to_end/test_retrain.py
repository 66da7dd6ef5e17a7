"""A project of lines as a user runs it: real processes, a real Prefect server, a real gateway."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.end_to_end.conftest import Finished, Machine

pytestmark = pytest.mark.timeout(900)

RUN_DEPLOYMENT = """
import sys
from configs.presets import load_params
from configs.settings import Settings
from deploy.services import ensure_prefect
ensure_prefect(Settings())
from prefect.deployments import run_deployment
params = load_params("smoke", overrides=sys.argv[1:]).model_dump(mode="json")
name = "retrain-lines/ocrline"
run = run_deployment(name, parameters={"params": params}, timeout=600, poll_interval=1)
print(run.state_name)
"""


def test_first_run_promotes_serves_and_leaves_a_report(machine: Machine, first: Finished) -> None:
    assert first.json["verdict"] == "promote"
    assert "<html" in Path(first.json["report"]).read_text()[:200]
    assert machine.served() == machine.champion() == first.version


def test_second_run_finds_every_stage_and_trains_nothing(machine: Machine) -> None:
    before = {folder: machine.stored(folder) for folder in ("checkpoints", "evaluations")}

    again = machine.retrain()

    assert again.code == 0, again.err
    for stage in ("prepare", "train", "export", "evaluate"):
        assert f"{stage:>9}  found" in again.err
    assert {folder: machine.stored(folder) for folder in before} == before


def test_only_the_gate_runs_when_only_the_gate_changes(machine: Machine) -> None:
    evaluations, champion = machine.stored("evaluations"), machine.champion()

    strict = machine.retrain("gate.min_accuracy=0.9999")

    assert strict.code == 1
    assert strict.json["verdict"] != "promote"
    assert machine.stored("evaluations") == evaluations
    assert machine.champion() == champion


def test_worse_candidate_is_refused_and_the_champion_goes_on_serving(
    machine: Machine, first: Finished, worse: Finished
) -> None:
    assert worse.code == 1, worse.err
    assert worse.json["verdict"] == "block"
    assert worse.version != first.version
    assert machine.served() == machine.champion() == first.version


def test_misspelt_key_stops_before_anything_runs(machine: Machine) -> None:
    wrong = machine.run("retrain", "smoke", "--set", "training.epocs=3")

    assert wrong.code == 2
    assert wrong.err.strip() == (
        "error: training.epocs: unknown key; did you mean training.epochs?"
    )


def test_evaluate_and_predict_read_with_the_champion(machine: Machine, tmp_path: Path) -> None:
    golden = machine.golden()
    outputs = json.loads((golden / "outputs.json").read_text())
    texts = {image["file"]: image["text"] for image in outputs["images"]}
    rows = [f"{name}\t{text}\n" for name, text in texts.items()]
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(rows))
    for name in texts:
        (tmp_path / name).write_bytes((golden / "inputs" / name).read_bytes())

    measured = machine.run(
        "evaluate", "--model", "smoke@champion", "--labels", str(labels), "--json"
    )
    name, text = next(iter(texts.items()))
    read = machine.run("predict", str(tmp_path / name), "--model", "smoke", "--json")

    assert measured.json["n"] == len(texts)
    assert (measured.json["accuracy"], measured.json["ned"], measured.json["cer"]) == (1, 1, 0)
    assert read.json[0]["text"] == text


def test_promotion_and_rollback_by_hand_lose_no_request_under_load(
    machine: Machine, worse: Finished
) -> None:
    champion, other = machine.champion(), worse.version
    image = next((machine.golden() / "inputs").iterdir()).read_bytes()
    versions: list[str] = []
    stop = Event()

    def hammer() -> None:
        with httpx.Client(
            base_url=machine.endpoint, headers={"content-type": "image/png"}, timeout=60
        ) as client:
            while not stop.is_set():
                reply = client.post("/v1/recognize", params={"model": "smoke"}, content=image)
                versions.append(reply.raise_for_status().json()["version"])

    with ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(hammer) for _ in range(4)]
        try:
            machine.run("models", "promote", "smoke", other)
            _wait_until_served(machine, other)
        finally:
            machine.run("models", "rollback", "smoke", "--reason", "reads worse")
            _wait_until_served(machine, champion)
            stop.set()
        failures = [client.exception() for client in clients if client.exception()]

    assert not failures
    assert set(versions) == {champion, other}
    assert machine.champion() == champion


def test_prefect_ui_runs_the_same_flow(machine: Machine) -> None:
    finished = machine.run_python(RUN_DEPLOYMENT, f"deployment.endpoint={machine.endpoint}")

    assert finished.out.strip() == "Completed", finished.err


def test_killed_run_continues_where_it_was(machine: Machine) -> None:
    before, champion = machine.stored("checkpoints"), machine.champion()
    # Too large for the gate: the champion stays whatever this candidate reads.
    changes = ("training.epochs=4", "training.checkpoint_every_s=0.5", "gate.max_size_mb=0.001")
    process = machine.start("retrain", "smoke", *machine.sets(*changes))
    kept = _wait_for_kept_lines(machine.home)
    os.kill(process.pid, signal.SIGKILL)  # the training, an orphan now, must end by itself
    process.communicate()

    again = machine.retrain(*changes)

    assert again.code == 1, again.err
    (checkpoint,) = machine.stored("checkpoints") - before
    (metrics,) = (machine.home / "store" / "checkpoints" / checkpoint).glob("*/metrics.jsonl")
    assert metrics.read_bytes().startswith(
        kept
    )  # their speeds are those of the killed run: nothing ran again
    assert not list((machine.home / "jobs").iterdir())
    assert machine.champion() == champion


def _wait_for_kept_lines(home: Path) -> bytes:
    """Wait for a kept state; return the lines of metrics.jsonl up to its step."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for state in sorted(home.glob("jobs/train-*/state/0*"), reverse=True):
            rows = (state.parents[1] / "metrics.jsonl").read_bytes().splitlines(keepends=True)
            whole = [row for row in rows if row.endswith(b"\n")]
            kept = [row for row in whole if json.loads(row)["step"] <= int(state.name)]
            if len(kept) > 1:
                return b"".join(kept)
        time.sleep(0.05)
    return pytest.fail("the training kept no state")


def _wait_until_served(machine: Machine, version: str) -> None:
    deadline = time.monotonic() + 120
    while machine.served() != version:
        if time.monotonic() > deadline:
            pytest.fail(f"{version} is not served")
        time.sleep(0.05)
