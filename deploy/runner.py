"""Runs what the Prefect UI asks for on this machine: ``python -m deploy.runner``."""

import sys
from typing import Any, cast

from filelock import Timeout
from prefect import Flow, serve
from prefect.deployments.runner import RunnerDeployment

from configs.presets import load_params
from configs.settings import Settings
from deploy.background import ServiceFailed
from deploy.services import ensure_remembered_gateway
from flows.retrain_lines import retrain_lines
from flows.retrain_pages import retrain_pages

FLOWS: list[tuple[Flow[..., Any], str]] = [(retrain_lines, "meters"), (retrain_pages, "demo")]


def main() -> None:
    """Offer both flows, each with a preset's parameters as the first values of its form."""
    start_gateway()
    offers = [
        cast(  # a coroutine only inside an event loop
            RunnerDeployment,
            flow.to_deployment(
                name="local", parameters={"params": load_params(preset).model_dump(mode="json")}
            ),
        )
        for flow, preset in FLOWS
    ]
    serve(*offers, pause_on_shutdown=False, print_starting_message=False)


def start_gateway() -> None:
    """Start the gateway that the last run of the terminal asked for, if it can be had."""
    try:
        ensure_remembered_gateway(Settings())
    except (ServiceFailed, Timeout) as error:  # runs that deploy will say so too
        sys.stderr.write(f"no gateway for the runs of the UI: {error}\n")


if __name__ == "__main__":
    main()
