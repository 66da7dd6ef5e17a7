"""What a training asks of a machine, looked at before it starts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ocr.machine.finding import Finding, broken, fine
from ocr.machine.ladder import climb_ladder
from ocr.machine.limits import check_disk, check_limits, check_shared_memory
from ocr.machine.machine import Machine
from ocr.machine.packages import check_packages, find_paddle


@dataclass(frozen=True)
class Demand:
    """What one training uses of the machine that it runs on.

    Attributes:
        processes: Ranks.
        gpus: One per rank, or 0: on processors.
        loaders: Processes that load batches, for each rank; 0: threads do.
        batch_bytes: Size of one rank's batch, where processes load it.
    """

    processes: int = 1
    gpus: int = 0
    loaders: int = 0
    batch_bytes: int = 0


def check_training(machine: Machine, demand: Demand, *, folder: Path) -> Iterator[Finding]:
    """Look at all that a training needs; a broken finding means that it cannot work.

    Args:
        machine: Where it is to run.
        demand: What it uses.
        folder: Where it writes.
    """
    if demand.gpus:
        yield from climb_ladder(machine, devices=demand.gpus)
    else:
        yield check_paddle(machine)
    yield check_shared_memory(
        machine,
        processes=demand.processes,
        loaders=demand.loaders,
        batch_bytes=demand.batch_bytes,
        gpus=demand.gpus,
    )
    yield from check_limits(machine, gpus=demand.gpus)
    yield check_disk(machine, folder)
    yield check_packages(machine)


def check_paddle(machine: Machine) -> Finding:
    """Say which Paddle trains on processors."""
    paddle = find_paddle(machine)
    if paddle is None:
        return broken("paddle", "Paddle is not installed", "make setup")
    return fine("paddle", f"{paddle.version}, " + (f"CUDA {paddle.cuda}" if paddle.cuda else "CPU"))
