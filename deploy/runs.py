"""The runs of the pool as Prefect's server knows them: counted, and told to stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil

from deploy.api import PrefectApi

POOL = "ocrline"
GOING_ON = ("PENDING", "RUNNING", "CANCELLING")
ACTIVE = (*GOING_ON, "PAUSED")
"""What waits for a person has a process and no slot."""
DRAIN_S = 60
"""Most seconds until a run that is told to stop has: its job has 30 to keep its work."""
POLL_S = 0.5
SOON_S = 60
"""Runs that are due by then wait; those that want a slot are due half a minute from each try."""


@dataclass(frozen=True)
class Queue:
    """A queue of the pool: how many of its runs go on, and wait; limit None: any number."""

    name: str
    limit: int | None
    is_paused: bool
    running: int
    waiting: int


def read_queues(api: PrefectApi) -> list[Queue]:
    """Count the runs of every queue, in the order of their names; none without a pool."""
    soon = (datetime.now(UTC) + timedelta(seconds=SOON_S)).isoformat()
    due = {
        "state": {"type": {"any_": ["SCHEDULED"]}},
        "next_scheduled_start_time": {"before_": soon},
    }
    going_on = {"state": {"type": {"any_": list(GOING_ON)}}}
    return [
        Queue(
            name=queue["name"],
            limit=queue["concurrency_limit"],
            is_paused=queue["is_paused"],
            running=_count(api, queue["name"], going_on),
            waiting=_count(api, queue["name"], due),
        )
        for queue in sorted(_queues(api), key=lambda queue: str(queue["name"]))
        if queue["name"] != "default"
    ]


def drain(api: PrefectApi, narrate: Callable[[str], None]) -> None:
    """Let the worker take no more runs, tell those under way to stop, and wait until they have.

    Their trainings keep a checkpoint. A run whose process is gone is said to be crashed.
    """
    set_paused(api, True)
    left = _active(api)
    for run in left:
        name = _shown(run)
        if run["state_type"] == "PAUSED":
            narrate(
                f"stopping {name}, which waits for a person and asks again when it is run again"
            )
        else:
            narrate(f"stopping {name}; run again, a training goes on from its checkpoint")
        _tell(api, run)
    deadline = time.monotonic() + DRAIN_S
    while left and time.monotonic() < deadline:
        time.sleep(POLL_S)
        left = _active(api)


def set_paused(api: PrefectApi, is_paused: bool) -> None:
    """Let no run of the pool begin, or let them again."""
    api.patch(f"/work_pools/{POOL}", {"is_paused": is_paused})


def name_runs_of_terminals(api: PrefectApi, narrate: Callable[[str], None]) -> None:
    """Say of each run that a terminal runs what becomes of it: the worker knows nothing of them."""
    body = {"flow_runs": {"state": {"type": {"any_": ["RUNNING", "PAUSED"]}}}}
    for run in api.post("/flow_runs/filter", body):
        if run["work_pool_name"] is not None:
            continue
        if run["state_type"] == "PAUSED":
            narrate(
                f"{_shown(run)} waits in a terminal for a person, and goes on waiting if that is "
                "still there: ocrline approve or reject answers it, Ctrl-C there ends it"
            )
        else:
            narrate(f"{_shown(run)} is run by a terminal, which has to end it: Ctrl-C there")


def _shown(run: dict[str, Any]) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in run["name"])


def _tell(api: PrefectApi, run: dict[str, Any]) -> None:
    pid = str(run["infrastructure_pid"] or "")
    gone = pid.isdigit() and not psutil.pid_exists(int(pid))
    state = {"type": "CANCELLING", "message": "ocrline down"}
    if gone:
        state = {"type": "CRASHED", "message": "Its process had ended when ocrline went down"}
    api.post(f"/flow_runs/{run['id']}/set_state", {"state": state, "force": gone})


def _active(api: PrefectApi) -> list[dict[str, Any]]:
    body = {
        "flow_runs": {"state": {"type": {"any_": list(ACTIVE)}}},
        "work_pools": {"name": {"any_": [POOL]}},
    }
    return list(api.post("/flow_runs/filter", body))


def _count(api: PrefectApi, queue: str, runs: dict[str, Any]) -> int:
    body = {
        "flow_runs": runs,
        "work_pools": {"name": {"any_": [POOL]}},
        "work_pool_queues": {"name": {"any_": [queue]}},
    }
    return int(api.post("/flow_runs/count", body))


def _queues(api: PrefectApi) -> list[dict[str, Any]]:
    if not api.post("/work_pools/filter", {"work_pools": {"name": {"any_": [POOL]}}}):
        return []
    return list(api.post(f"/work_pools/{POOL}/queues/filter", {}))
