"""The look at the machine before a training starts on it."""

from collections.abc import Iterator
from pathlib import Path

from configs.jobs import TrainJob
from configs.settings import Settings
from configs.training import ResourceParams
from ocr.errors import BadInput
from ocr.machine.asked import Asked, check_asked
from ocr.machine.clock import check_clock
from ocr.machine.finding import Finding
from ocr.machine.machine import Machine
from ocr.machine.training import check_training
from training.loop.progress import note


def look_before_training(
    job: TrainJob, folder: Path, machine: Machine, *, gpu_loaders: int = 0
) -> None:
    """Refuse a training that cannot work on a machine; note what may go wrong in its log.

    Args:
        job: What is to be trained.
        folder: The job's folder.
        machine: Where it is to run.
        gpu_loaders: Processes that load batches for each GPU.

    Raises:
        BadInput: Naming the first thing that is broken, its value and how to mend it.
    """
    for finding in _look(job, folder, machine, gpu_loaders):
        if finding.verdict == "broken":
            raise BadInput(str(finding))
        if finding.verdict == "risky":
            note(folder, f"warning: {finding}")


def name_asked(resources: ResourceParams) -> Asked:
    """Return what a machine is to have."""
    return Asked(
        gpu=resources.gpu,
        cpus=resources.cpus,
        memory_gib=resources.memory_gib,
        shared_memory_gib=resources.shared_memory_gib,
        open_files=resources.open_files,
    )


def _look(job: TrainJob, folder: Path, machine: Machine, gpu_loaders: int) -> Iterator[Finding]:
    resources = job.resources
    gpus = resources.devices if resources.device == "gpu" else 0
    loaders = gpus * gpu_loaders
    yield from check_training(machine, gpus=gpus, folder=folder, loaders=loaders)
    yield from check_asked(machine, name_asked(resources))
    if job.store.startswith("s3://"):
        settings = Settings()
        yield from check_clock(machine, endpoint=settings.s3_endpoint, secure=settings.s3_secure)
