"""Runs what the Prefect UI asks for on this machine: ``python -m deploy.runner``."""

import sys
from typing import cast

from filelock import Timeout
from prefect import serve
from prefect.deployments.runner import RunnerDeployment

from configs.presets import load_params
from configs.settings import read_settings
from deploy.background import ServiceFailed
from deploy.services import ensure_remembered_gateway
from flows.stages import STAGES


def main() -> None:
    """Offer the line and each stage, with the demo's parameters as the form's first values."""
    start_gateway()
    params = load_params("demo").model_dump(mode="json")
    offers = [
        cast(RunnerDeployment, flow.to_deployment(name="local", parameters={"params": params}))
        for flow in STAGES.values()  # a coroutine only inside an event loop
    ]
    serve(*offers, pause_on_shutdown=False, print_starting_message=False)


def start_gateway() -> None:
    """Start the gateway that the last run of the terminal asked for, if it can be had."""
    try:
        ensure_remembered_gateway(read_settings())
    except (ServiceFailed, Timeout) as error:  # runs that deploy will say so too
        sys.stderr.write(f"no gateway for the runs of the UI: {error}\n")


if __name__ == "__main__":
    main()
