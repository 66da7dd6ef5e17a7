"""Runs what the Prefect UI asks for on this machine: ``python -m deploy.runner``."""

from typing import cast

from prefect import serve
from prefect.deployments.runner import RunnerDeployment

from configs.presets import load_params
from flows.stages import STAGES


def main() -> None:
    """Offer the line and each stage, with the demo's parameters as the form's first values."""
    params = load_params("demo").model_dump(mode="json")
    offers = [
        cast(RunnerDeployment, flow.to_deployment(name="local", parameters={"params": params}))
        for flow in STAGES.values()  # a coroutine only inside an event loop
    ]
    serve(*offers, pause_on_shutdown=False, print_starting_message=False)


if __name__ == "__main__":
    main()
