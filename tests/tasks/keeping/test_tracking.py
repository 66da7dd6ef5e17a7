"""What MLflow has of a run that is told more than once."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("mlflow.version", reason="mlflow is not installed: ocrline[history]")

from mlflow.entities import Run
from mlflow.tracking import MlflowClient

from tasks.keeping.record import Record
from tasks.keeping.tracking import write

RECORD = Record(
    experiment="toy",
    key="k",
    name="1",
    status="FINISHED",
    params={},
    tags={"opponent": "toy:0"},
    metrics={"test/accuracy": 0.9, "opponent/accuracy": 0.5},
    curves={"step/loss": [(3, 9.0), (6, 7.0)]},
)


def tell(client: MlflowClient, record: Record) -> None:
    write(client, {**vars(record), "params": {}})


def test_of_two_machines_that_tell_at_once_both_tell_of_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/mlflow.db")
    tell(client, RECORD)
    (first,) = client.search_runs(["1"])
    search = client.search_runs
    answers = iter([list[Run]()])  # the other one is not there yet when it is looked for first
    monkeypatch.setattr(client, "search_runs", lambda *given: next(answers, search(*given)))

    tell(client, RECORD)

    (run,) = search(["1"])
    assert run.info.run_id == first.info.run_id


def test_numbers_of_a_new_opponent_replace_those_of_the_one_before(tmp_path: Path) -> None:
    client = MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/mlflow.db")
    beside_another = replace(
        RECORD, tags={"opponent": "toy:2"}, metrics={**RECORD.metrics, "opponent/accuracy": 0.125}
    )

    for record in (RECORD, beside_another, beside_another):
        tell(client, record)

    (run,) = client.search_runs([client.get_experiment_by_name("toy").experiment_id])
    history = client.get_metric_history(run.info.run_id, "opponent/accuracy")
    assert run.data.tags["ocrline.opponent"] == "toy:2"
    assert run.data.metrics["opponent/accuracy"] == 0.125
    assert [(point.step, point.value) for point in history] == [(0, 0.5), (1, 0.125)]
    assert len(client.get_metric_history(run.info.run_id, "test/accuracy")) == 1
    assert len(client.get_metric_history(run.info.run_id, "step/loss")) == 2
