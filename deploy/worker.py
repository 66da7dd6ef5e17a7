"""Runs what the Prefect UI and its schedules ask for on this machine: ``python -m deploy.worker``.

A worker of the pool `ocrline`. Each run is a process with our interpreter that imports its flow by
its module, from whatever folder; no code is fetched. A relative path in its form is one in the
folder that the worker was started in.
"""

import asyncio
import os
import platform
import sys
from pathlib import Path
from typing import Any

from filelock import Timeout
from prefect import Flow, get_client
from prefect.types.entrypoint import EntrypointType
from prefect.utilities.processutils import command_to_string, setup_signal_handlers_worker
from prefect.workers.process import ProcessJobConfiguration, ProcessWorker
from pydantic import Field

from configs.presets import load_params
from configs.settings import Settings
from deploy.background import ServiceFailed
from deploy.lost_runs import ensure_ended
from deploy.pool import CPU, ensure_pool
from deploy.runs import POOL
from deploy.services import ensure_remembered_gateway
from flows.retrain_lines import retrain_lines
from flows.retrain_pages import retrain_pages

FLOWS: list[tuple[Flow[..., Any], str]] = [(retrain_lines, "meters"), (retrain_pages, "demo")]


class JobHere(ProcessJobConfiguration):
    """How a run is started where neither its deployment nor the pool says otherwise."""

    working_dir: Path | None = Field(default_factory=Path.cwd)
    command: str | None = Field(
        default_factory=lambda: command_to_string([sys.executable, "-m", "deploy.engine"])
    )


def main() -> None:
    """Start the gateway that runs deploy to, then take runs until a signal says to stop."""
    start_gateway()
    setup_signal_handlers_worker(os.getpid(), "the worker", print)
    asyncio.run(_work(Settings()))


def start_gateway() -> None:
    """Start the gateway that the last run of the terminal asked for, if it can be had."""
    try:
        ensure_remembered_gateway(Settings())
    except (ServiceFailed, Timeout) as error:  # runs that deploy will say so too
        sys.stderr.write(f"no gateway for the runs of the UI: {error}\n")


async def _work(settings: Settings) -> None:
    async with get_client() as client:
        await ensure_pool(client, settings)
        await ensure_ended(client)
    for flow, preset in FLOWS:
        await _offer(flow, preset)
    worker = ProcessWorker(work_pool_name=POOL, name=worker_name())
    worker.job_configuration = JobHere
    await worker.start()


async def _offer(flow: Flow[..., Any], preset: str) -> None:
    """Offer a flow in the UI, with a preset's parameters as the first values of its form."""
    deployment = await flow.ato_deployment(
        name="local",
        parameters={"params": load_params(preset).model_dump(mode="json")},
        work_pool_name=POOL,
        work_queue_name=CPU,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    await deployment.aapply()


def worker_name() -> str:
    """Return the name of this machine's worker in the UI."""
    return platform.node().replace("/", "-").replace("%", "-") or "worker"


if __name__ == "__main__":
    main()
