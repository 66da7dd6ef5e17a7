"""The whole line as a user runs it: real processes, a real Prefect server, a real gateway."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.end_to_end.conftest import Finished, Line

RUN_DEPLOYMENT = """
import sys
from configs.presets import load_params
from configs.settings import Settings
from deploy.services import ensure_prefect
ensure_prefect(Settings())
from prefect.deployments import run_deployment
params = load_params("smoke", overrides=sys.argv[1:]).model_dump(mode="json")
name = "retrain-lines/local"
run = run_deployment(name, parameters={"params": params}, timeout=180, poll_interval=1)
print(run.state_name)
"""


def test_first_run_promotes_serves_and_leaves_a_report(line: Line, first: Finished) -> None:
    assert first.json["verdict"] == "promote"
    assert "<html" in Path(first.json["report"]).read_text()[:200]
    assert line.served() == line.champion() == first.version


def test_second_run_finds_every_stage_and_trains_nothing(line: Line) -> None:
    before = {folder: line.stored(folder) for folder in ("checkpoints", "evaluations")}

    again = line.retrain()

    assert again.code == 0, again.err
    for stage in ("prepare", "train", "export", "evaluate"):
        assert f"{stage:>9}  found" in again.err
    assert {folder: line.stored(folder) for folder in before} == before


def test_only_the_gate_runs_when_only_the_gate_changes(line: Line) -> None:
    evaluations, champion = line.stored("evaluations"), line.champion()

    strict = line.retrain("gate.min_accuracy=0.9999")

    assert strict.code == 1
    assert strict.json["verdict"] != "promote"
    assert line.stored("evaluations") == evaluations
    assert line.champion() == champion


def test_worse_candidate_is_refused_and_the_champion_goes_on_serving(
    line: Line, first: Finished, worse: Finished
) -> None:
    assert worse.code == 1, worse.err
    assert worse.json["verdict"] == "block"
    assert worse.version != first.version
    assert line.served() == line.champion() == first.version


def test_misspelt_key_stops_before_anything_runs(line: Line) -> None:
    wrong = line.run("retrain", "smoke", "--set", "training.epocs=3")

    assert wrong.code == 2
    assert wrong.err.strip() == (
        "error: training.epocs: unknown key; did you mean training.epochs?"
    )


def test_evaluate_and_predict_read_with_the_champion(line: Line, tmp_path: Path) -> None:
    golden = line.golden()
    outputs = json.loads((golden / "outputs.json").read_text())
    texts = {image["file"]: image["text"] for image in outputs["images"]}
    rows = [f"{name}\t{text}\n" for name, text in texts.items()]
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(rows))
    for name in texts:
        (tmp_path / name).write_bytes((golden / "inputs" / name).read_bytes())

    measured = line.run("evaluate", "--model", "smoke@champion", "--labels", str(labels), "--json")
    name, text = next(iter(texts.items()))
    read = line.run("predict", str(tmp_path / name), "--model", "smoke", "--json")

    assert measured.json["n"] == len(texts)
    assert (measured.json["accuracy"], measured.json["ned"], measured.json["cer"]) == (1, 1, 0)
    assert read.json[0]["text"] == text


def test_promotion_and_rollback_by_hand_lose_no_request_under_load(
    line: Line, worse: Finished
) -> None:
    champion, other = line.champion(), worse.version
    image = next((line.golden() / "inputs").iterdir()).read_bytes()
    versions: list[str] = []
    stop = Event()

    def hammer() -> None:
        with httpx.Client(base_url=line.endpoint, headers={"content-type": "image/png"}) as client:
            while not stop.is_set():
                reply = client.post("/v1/recognize", params={"model": "smoke"}, content=image)
                versions.append(reply.raise_for_status().json()["version"])

    with ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(hammer) for _ in range(4)]
        try:
            line.run("models", "promote", "smoke", other)
            _wait_until_served(line, other)
        finally:
            line.run("models", "rollback", "smoke", "--reason", "reads worse")
            _wait_until_served(line, champion)
            stop.set()
        failures = [client.exception() for client in clients if client.exception()]

    assert not failures
    assert set(versions) == {champion, other}
    assert line.champion() == champion


def test_prefect_ui_runs_the_same_flow(line: Line) -> None:
    finished = line.run_python(RUN_DEPLOYMENT, f"deployment.endpoint={line.endpoint}")

    assert finished.out.strip() == "Completed", finished.err


def test_killed_run_continues_where_it_was(line: Line) -> None:
    before, champion = line.stored("checkpoints"), line.champion()
    # Too large for the gate: the champion stays whatever this candidate reads.
    changes = ("training.epochs=9", "training.checkpoint_every_s=0.5", "gate.max_size_mb=0.001")
    process = line.start("retrain", "smoke", *line.sets(*changes))
    kept = _wait_for_kept_lines(line.home)
    os.kill(process.pid, signal.SIGKILL)  # the training, an orphan now, must end by itself
    process.communicate()

    again = line.retrain(*changes)

    assert again.code == 1, again.err
    (checkpoint,) = line.stored("checkpoints") - before
    (metrics,) = (line.home / "store" / "checkpoints" / checkpoint).glob("*/metrics.jsonl")
    assert metrics.read_bytes().startswith(
        kept
    )  # their speeds are those of the killed run: nothing ran again
    assert not list((line.home / "jobs").iterdir())
    assert line.champion() == champion


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


def _wait_until_served(line: Line, version: str) -> None:
    deadline = time.monotonic() + 30
    while line.served() != version:
        if time.monotonic() > deadline:
            pytest.fail(f"{version} is not served")
        time.sleep(0.05)
