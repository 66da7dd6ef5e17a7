"""What Prefect calls when a run fails."""

from typing import Any

from prefect import Flow
from prefect.client.schemas.objects import FlowRun, State

from tasks.notifying.notice import Notice
from tasks.notifying.notify import link_to, notify


def tell_failure(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Tell that a run failed, once, however often it is tried again."""
    run = str(flow_run.id)
    notify(
        Notice(
            kind="failure",
            model=str((flow_run.parameters.get("params") or {}).get("name") or flow_run.name),
            id=f"failure:{run}",
            why=f"{flow.name}: {state.message or state.name}",
            link=link_to(run),
        )
    )
