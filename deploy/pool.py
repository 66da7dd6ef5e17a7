"""The work pool of this machine and its queues: what runs at once, and what waits."""

from contextlib import suppress

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound
from prefect.workers.process import ProcessWorker

from configs.settings import Settings
from deploy.runs import POOL
from ocr.machine.gpus import count_gpus
from ocr.machine.machine import Machine

CPU = "cpu"
GPU = "gpu"
SHORT = "short"
"""Of flows that train nothing, such as a promotion: they need not wait for those that do."""


def ensure_pool(client: SyncPrefectClient, settings: Settings) -> None:
    """Create the pool and its queues, or set their limits to what the settings say."""
    template = ProcessWorker.get_default_base_job_template()
    wanted = WorkPoolCreate(name=POOL, type=ProcessWorker.type, base_job_template=template)
    try:
        client.read_work_pool(POOL)
    except ObjectNotFound:
        with suppress(ObjectAlreadyExists):  # made by another process meanwhile
            client.create_work_pool(wanted)
    for name, limit in queue_limits(settings).items():
        _ensure_queue(client, name, limit)


def queue_limits(settings: Settings) -> dict[str, int | None]:
    """Return how many runs of each queue may go on at once; None: any number."""
    return {
        CPU: settings.cpu_runs,
        GPU: max(1, count_gpus(Machine.here())),
        SHORT: None,
    }


def _ensure_queue(client: SyncPrefectClient, name: str, limit: int | None) -> None:
    try:
        queue = client.read_work_queue_by_name(name, work_pool_name=POOL)
    except ObjectNotFound:
        with suppress(ObjectAlreadyExists):  # made by another process meanwhile
            client.create_work_queue(name, concurrency_limit=limit, work_pool_name=POOL)
        return
    if queue.concurrency_limit != limit:
        client.update_work_queue(queue.id, concurrency_limit=limit)
