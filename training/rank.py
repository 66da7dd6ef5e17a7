"""One rank of a training: the snapshot into memory, the loop, and on the first the result."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import cv2

from configs.jobs import EmbeddedJob, EmbeddedKind, TrainResult
from configs.training import ResourceParams
from ocr.errors import OcrError
from ocr.models.provenance import name_code
from ocr.processors import count_processors
from training.detection.trainee import open_detector
from training.environment import describe_environment
from training.job import CHECKPOINT, job_digest, write_result
from training.launch import parent_processes
from training.loop.guards import StopRequest, Watchdog
from training.loop.loop import TrainingLoop
from training.loop.ranks import join_ranks
from training.loop.trainee import Trainee
from training.recognition.trainee import open_recogniser

OPENERS: dict[EmbeddedKind, Callable[..., Trainee]] = {
    "train-recogniser": open_recogniser,
    "train-detector": open_detector,
}
MOST_LOADER_THREADS = 8


def train_rank(job: EmbeddedJob, folder: Path, *, fail: Callable[[OcrError], None]) -> None:
    """Train as one of the ranks; the first leaves the checkpoint and result.json.

    Args:
        job: What to train on what.
        folder: The job's folder, with the snapshot in it.
        fail: Told why when the process must end hard.
    """
    started = time.monotonic()
    code = name_code()  # before the hours in which somebody may commit
    stop = StopRequest()
    stop.listen()
    cv2.setNumThreads(1)  # crops are small: its threads cost more than they give
    timeout_s = job.training.no_progress_timeout_s
    guard = Watchdog(timeout_s=timeout_s, stop=stop, parents=parent_processes(), fail=fail)
    with closing(guard) as watchdog:
        with watchdog.paused():  # there is no step yet
            ranks = join_ranks(device=job.resources.device, digest=job_digest(job))
            trainee = OPENERS[job.kind](job, folder, ranks=ranks)
        load_s = time.monotonic() - started
        ranks.beat = watchdog.beat
        ranks.meet()
        loop = TrainingLoop(
            job.training,
            trainee,
            folder=folder,
            ranks=ranks,
            watchdog=watchdog,
            loader_threads=count_loader_threads(job.resources),
        )
        loop.run()
        if ranks.is_first:
            write_result(folder, finish(job, folder, loop, load_s=load_s, code=code))


def count_loader_threads(resources: ResourceParams) -> int:
    """One thread keeps up with a CPU; a GPU takes a fair share of the cores."""
    if resources.device == "cpu":
        return 1
    return max(1, min(MOST_LOADER_THREADS, count_processors() // resources.devices))


def finish(
    job: EmbeddedJob, folder: Path, loop: TrainingLoop, *, load_s: float, code: str
) -> TrainResult:
    """Measure the weights to use and write their checkpoint."""
    checkpoint = folder / CHECKPOINT
    checkpoint.mkdir(exist_ok=True)
    net = loop.selection.net(loop.selection.weights)
    metrics = loop.trainee.finish(net, checkpoint)
    train_s, images_per_s = loop.meter.seconds, loop.meter.images_per_s
    return TrainResult(
        kind=job.kind,
        checkpoint=CHECKPOINT,
        metrics=metrics,
        timings={"load_s": load_s, "train_s": train_s, "images_per_s": images_per_s},
        environment=describe_environment(job.resources, code=code),
    )
