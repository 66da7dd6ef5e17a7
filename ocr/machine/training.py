"""What a training asks of a machine, looked at before it starts."""

from collections.abc import Iterator
from pathlib import Path

from ocr.machine.finding import Finding, broken, fine
from ocr.machine.ladder import climb_ladder
from ocr.machine.limits import check_disk, check_limits, check_shared_memory
from ocr.machine.machine import Machine
from ocr.machine.packages import check_packages, find_paddle


def check_training(
    machine: Machine, *, gpus: int, folder: Path, loaders: int = 0
) -> Iterator[Finding]:
    """Look at all that a training needs; a broken finding means that it cannot work.

    Args:
        machine: Where it is to run.
        gpus: How many it uses, one per rank; 0: it runs on processors.
        folder: Where it writes.
        loaders: Processes that load batches for all ranks; 0: threads do.
    """
    if gpus:
        yield from climb_ladder(machine, devices=gpus)
    else:
        yield check_paddle(machine)
    yield check_shared_memory(machine, gpus=gpus, loaders=loaders)
    yield from check_limits(machine, gpus=gpus)
    yield check_disk(machine, folder)
    yield check_packages(machine)


def check_paddle(machine: Machine) -> Finding:
    """Say which Paddle trains on processors."""
    paddle = find_paddle(machine)
    if paddle is None:
        return broken("paddle", "Paddle is not installed", machine.setup)
    return fine("paddle", f"{paddle.version}, " + (f"CUDA {paddle.cuda}" if paddle.cuda else "CPU"))
