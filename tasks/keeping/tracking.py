"""Tells MLflow of a retraining: ``python -m tasks.keeping.tracking ADDRESS < record.json``.

A process of its own: importing MLflow takes seconds, a server may be slow to answer or dead, and
neither may hold up a retraining.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from mlflow.entities import Metric, Param, Run, RunTag
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient

KEY: Final = "ocrline.key"
KIND: Final = {"mlflow.experimentKind": "custom_model_development"}
"""Its pages then show curves first, not traces of language models."""
BATCH: Final = 100
"""Parameters or tags that MLflow takes at once; of metrics it would take more."""
LONGEST: Final = 6000
"""Characters of a parameter's value."""


def main() -> int:
    """Write the record of standard input; why it could not be is one line."""
    try:
        write(MlflowClient(tracking_uri=sys.argv[1]), json.load(sys.stdin), sys.argv[2:])
    except MlflowException as error:
        sys.stderr.write(f"{' '.join(str(error).split())[:300]}\n")
        return 5
    return 0


def write(client: MlflowClient, record: dict[str, Any], artifacts: Sequence[str] = ()) -> None:
    """Write what the run of this key does not have yet."""
    run = _find_run(client, record, artifacts)
    known = run.data.params
    params = [Param(k, v[:LONGEST]) for k, v in record["params"].items() if k not in known]
    tags = [RunTag(f"ocrline.{name}", value[:LONGEST]) for name, value in record["tags"].items()]
    tags += [RunTag("mlflow.runName", record["name"]), RunTag("mlflow.note.content", _note(record))]
    for some in _parts(params, BATCH):
        client.log_batch(run.info.run_id, params=some)
    for some in _parts(tags, BATCH):
        client.log_batch(run.info.run_id, tags=some)
    for some in _parts(list(_new_metrics(client, run, record)), BATCH):
        client.log_batch(run.info.run_id, metrics=some)
    if record["status"] == "RUNNING":
        client.update_run(run.info.run_id, status="RUNNING")
    else:
        client.set_terminated(run.info.run_id, record["status"])


def _find_run(client: MlflowClient, record: dict[str, Any], artifacts: Sequence[str]) -> Run:
    experiment = client.get_experiment_by_name(record["experiment"])
    if experiment is None:
        location = artifacts[0] if artifacts else None
        identity = client.create_experiment(
            record["experiment"], artifact_location=location, tags=KIND
        )
    else:
        identity = experiment.experiment_id

    def find() -> list[Run]:
        said = f"tags.`{KEY}` = '{record['key']}'"
        return sorted(client.search_runs([identity], said), key=_age)

    if found := find():
        return found[0]
    created = client.create_run(identity, tags={KEY: record["key"]}, run_name=record["name"])
    oldest = next(iter(find()), created)  # of two machines at once, both go on with one
    if oldest.info.run_id != created.info.run_id:
        client.delete_run(created.info.run_id)
    return oldest


def _age(run: Run) -> tuple[int, str]:
    return run.info.start_time, run.info.run_id


def _new_metrics(client: MlflowClient, run: Run, record: dict[str, Any]) -> Iterator[Metric]:
    """Yield the points that the run does not have: a curve is never drawn twice.

    A number that is measured once is measured anew when the champion has moved: the last counts.
    """
    now = int(time.time() * 1000)

    def seen(name: str) -> set[int]:
        if name not in run.data.metrics:
            return set()
        return {each.step for each in client.get_metric_history(run.info.run_id, name)}

    for name, curve in record["curves"].items():
        known = seen(name)
        for step, value in curve:
            if step not in known:
                yield Metric(name, value, now, step)
    for name, value in record["metrics"].items():
        if run.data.metrics.get(name) != value:
            yield Metric(name, value, now, max(seen(name), default=-1) + 1)


def _note(record: dict[str, Any]) -> str:
    tags = record["tags"]
    decision = f"**{tags['decision']}**: {tags.get('reasons', '')}" if "decision" in tags else ""
    report = f"Report: {tags['report']}" if "report" in tags else ""
    return "\n\n".join(line for line in (decision, report) if line) or "under way"


def _parts(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[at : at + size] for at in range(0, len(items), size)]


if __name__ == "__main__":
    sys.exit(main())
