"""What Prefect calls when a run fails."""

from datetime import UTC, datetime
from typing import Any

from prefect import Flow
from prefect.client.schemas.objects import FlowRun, State

from tasks.notifying.notice import Notice
from tasks.notifying.notify import link_to, notify


def tell_failure(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Tell that a run failed, once, however often it is tried again."""
    _tell(flow, flow_run, state, event=str(flow_run.id))


def tell_failing(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Tell once a day that a flow fails which runs every few minutes."""
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    _tell(flow, flow_run, state, event=f"{flow.name}:{flow_run.name}:{day}")


def _tell(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any], *, event: str) -> None:
    notify(
        Notice(
            kind="failure",
            model=str((flow_run.parameters.get("params") or {}).get("name") or flow_run.name),
            id=f"failure:{event}",
            why=f"{flow.name}: {state.message or state.name}",
            link=link_to(str(flow_run.id)),
        )
    )
