"""Tells of what happens where no process of ours is left: a crash, a drift, new data."""

from prefect import flow

from configs.people.notifications import NotifyParams
from tasks.notifying.remote import tell_remotely


@flow(name="notify", flow_run_name="{params.kind} {params.model}")
def notify(params: NotifyParams) -> None:
    """Tell people what happened.

    Args:
        params: What happened.
    """
    tell_remotely(params)
