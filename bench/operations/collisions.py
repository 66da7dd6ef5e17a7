"""Two schedules and a manual run of one model at once: ``python -m bench.operations.collisions``.

A Prefect server and a worker of this machine, in a folder of their own that is removed again.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Literal
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterId
from prefect.client.schemas.objects import FlowRun
from prefect.client.schemas.schedules import RRuleSchedule
from prefect.exceptions import PrefectHTTPStatusError
from prefect.settings import PREFECT_API_URL, temporary_settings
from rich.console import Console
from rich.table import Table

from bench.operations.prefect_server import TIMEOUT_S, run
from deploy.background import python_module, start_service, stop_service
from deploy.deployments.declaration import Declaration
from deploy.deployments.server import read_stored
from deploy.deployments.writing import create
from deploy.parts.server import PROCESS
from deploy.runs import POOL

WhenBusy = Literal["ENQUEUE", "CANCEL_NEW"]
NAP_S = 8
AHEAD_S = 20
"""From now to the first of the runs: the server makes scheduled ones some seconds before."""
RUNS = 3


@dataclass(frozen=True)
class Outcome:
    """What became of one run.

    Attributes:
        what: Who asked for it.
        state: Its last state.
        waited_s: From when it was due to its start; of one that never started, to its end.
        started: When it started; None: never.
        ended: When it ended.
    """

    what: str
    state: str
    waited_s: float
    started: datetime | None
    ended: datetime


def main() -> None:
    """Print who ran and who waited, for both ways."""
    with machine() as client:
        for when_busy in ("ENQUEUE", "CANCEL_NEW"):
            Console().print(tabulate(when_busy, collide(client, when_busy)))


def collide(client: SyncPrefectClient, when_busy: WhenBusy) -> list[Outcome]:
    """Have two schedules and a person start a deployment of one run at once; by their starts."""
    nap = Declaration(
        "bench.operations.nap.nap",
        when_busy.lower(),
        "Sleeps as a training would work.",
        {"params": {"seconds": NAP_S}},
        at_once=1,
        when_busy=when_busy,
    )
    create(client, nap)
    deployment = read_stored(client)[nap.full_name].deployment.id
    due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=AHEAD_S)
    schedules = {
        f"schedule {letter}": due + timedelta(seconds=at) for at, letter in enumerate("AB")
    }
    made = client.create_deployment_schedules(
        deployment, [_once(at, name) for name, at in schedules.items()]
    )
    names = {schedule.id: schedule.slug or "" for schedule in made}
    time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
    client.create_flow_run_from_deployment(deployment, name="by hand")
    runs = _wait_for_all(client, deployment)
    return sorted((_describe(run, names) for run in runs), key=lambda each: each.ended)


def tabulate(when_busy: WhenBusy, outcomes: Sequence[Outcome]) -> Table:
    """Return a table of what became of runs."""
    table = Table(title=f"{when_busy}: runs of {NAP_S} s, one at once", title_justify="left")
    for column in ("who", "became", "waited, s", "ran, s"):
        table.add_column(column)
    for each in outcomes:
        ran = f"{(each.ended - each.started).total_seconds():.0f}" if each.started else "–"
        table.add_row(each.what, each.state, f"{each.waited_s:.0f}", ran)
    return table


@contextmanager
def machine() -> Iterator[SyncPrefectClient]:
    """Run a Prefect server and a worker of our pool, and point this process at them."""
    with tempfile.TemporaryDirectory(prefix="collisions-") as name:
        looks_often = {"PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "2"}
        with (
            run(PROCESS, name, looks_often) as url,
            temporary_settings({PREFECT_API_URL: f"{url}/api"}),
            get_client(sync_client=True) as client,
        ):
            try:
                start_service(
                    Path(name),
                    "worker",
                    command=python_module("deploy.worker"),
                    url=url,
                    environment={
                        "OCRLINE_HOME": name,
                        "OCRLINE_CPU_RUNS": str(RUNS),  # none waits for its queue, only for others
                        "PREFECT_HOME": name,
                        "PREFECT_API_URL": f"{url}/api",
                        "PREFECT_WORKER_QUERY_SECONDS": "1",
                    },
                    is_up=partial(_has_worker, client),
                    timeout_s=TIMEOUT_S,
                )
                yield client
            finally:
                stop_service(Path(name), "worker")


def _has_worker(client: SyncPrefectClient) -> bool:
    try:
        return bool(client.read_workers_for_work_pool(POOL))
    except PrefectHTTPStatusError:  # it makes the pool
        return False


def _once(due: datetime, slug: str) -> DeploymentScheduleCreate:
    rule = f"DTSTART:{due:%Y%m%dT%H%M%S}\nRRULE:FREQ=SECONDLY;COUNT=1"
    schedule = RRuleSchedule(rrule=rule, timezone="UTC")
    return DeploymentScheduleCreate(schedule=schedule, slug=slug.replace(" ", "-"))


def _wait_for_all(client: SyncPrefectClient, deployment: UUID) -> list[FlowRun]:
    wanted = DeploymentFilter(id=DeploymentFilterId(any_=[deployment]))
    until = time.monotonic() + TIMEOUT_S
    while True:
        runs = client.read_flow_runs(deployment_filter=wanted)
        if len(runs) == RUNS and all(run.state and run.state.is_final() for run in runs):
            return runs
        if time.monotonic() > until:
            said = ", ".join(f"{run.name} {run.state_name}" for run in runs)
            raise TimeoutError(f"Not all of {RUNS} runs ended in {TIMEOUT_S} s: {said}")
        time.sleep(1)


def _describe(run: FlowRun, names: dict[UUID, str]) -> Outcome:
    ended = run.end_time or (run.state.timestamp if run.state else None)
    due = run.expected_start_time
    if ended is None or due is None or run.state is None:
        raise ValueError(f"{run.name} has not ended")
    schedule = run.created_by.id if run.created_by and run.created_by.type == "SCHEDULE" else None
    what = names.get(schedule, "a schedule") if schedule else run.name
    waited = ((run.start_time or ended) - due).total_seconds()
    return Outcome(what, run.state.name or "", max(0.0, waited), run.start_time, ended)


if __name__ == "__main__":
    main()
