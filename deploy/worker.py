"""Runs what the Prefect UI and its schedules ask for on this machine: ``python -m deploy.worker``.

A worker of the pool `ocrline`. Each run is a process with our interpreter that imports its flow by
its module, from whatever folder; no code is fetched. A relative path in its form is one in the
folder that the worker was started in.
"""

import asyncio
import os
import platform
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from filelock import Timeout
from prefect import get_client
from prefect.exceptions import ObjectNotFound
from prefect.utilities.processutils import command_to_string, setup_signal_handlers_worker
from prefect.workers.process import ProcessJobConfiguration, ProcessWorker
from pydantic import Field

from configs.settings import Settings
from deploy.automations.lost_runs import ensure_ended
from deploy.automations.notices import ensure_told
from deploy.background import ServiceFailed
from deploy.deployments.apply import apply_remembered
from deploy.deployments.memory import shorten
from deploy.pool import ensure_pool
from deploy.runs import POOL
from deploy.services import ensure_remembered_gateway
from ocr.errors import BadData


class JobHere(ProcessJobConfiguration):
    """How a run is started where neither its deployment nor the pool says otherwise."""

    working_dir: Path | None = Field(default_factory=Path.cwd)
    command: str | None = Field(
        default_factory=lambda: command_to_string([sys.executable, "-m", "deploy.engine"])
    )


def main() -> None:
    """Start the gateway, offer what is declared, then take runs until a signal says to stop."""
    settings = Settings()
    keep_to_oneself(settings.home)
    start_gateway()
    offer(settings)
    setup_signal_handlers_worker(os.getpid(), "the worker", print)
    asyncio.run(_work())


def keep_to_oneself(home: Path) -> None:
    """Let Prefect's runner keep its files in the home, not where other users keep theirs.

    It makes `runner_storage` in the folder for temporary files, which is the first user's then.
    """
    folder = home / "prefect"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    tempfile.tempdir = str(folder)  # of this process alone


def start_gateway() -> None:
    """Start the gateway that the last run of the terminal asked for, if it can be had."""
    try:
        ensure_remembered_gateway(Settings())
    except (ServiceFailed, Timeout) as error:  # runs that deploy will say so too
        sys.stderr.write(f"no gateway for the runs of the UI: {error}\n")


def offer(settings: Settings) -> None:
    """Set the queues, and apply the deployments of this machine and of its projects again."""
    with get_client(sync_client=True) as client:
        ensure_pool(client, settings)
    try:
        applied = apply_remembered(settings)
        for file in applied.gone:
            sys.stderr.write(f"no file {file}: its deployments stay as they are\n")
        for why in applied.refused:
            sys.stderr.write(f"refused, its deployments stay as they are: {shorten(why)}\n")
    except (BadData, Timeout) as error:
        sys.stderr.write(f"deployments stay as they are: {error}\n")


async def _work() -> None:
    async with get_client() as client:
        await ensure_ended(client)
        with suppress(ObjectNotFound):  # its deployments could not be applied, as was said
            await ensure_told(client)
    worker = ProcessWorker(work_pool_name=POOL, name=worker_name())
    worker.job_configuration = JobHere
    await worker.start()


def worker_name() -> str:
    """Return the name of this machine's worker in the UI."""
    return platform.node().replace("/", "-").replace("%", "-") or "worker"


if __name__ == "__main__":
    main()
