"""One rank of a training: the snapshot into memory, the loop, and on the first the result."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import cv2

from configs.jobs import TrainDetectorJob, TrainRecogniserJob, TrainResult
from ocr.errors import OcrError
from training.detection.trainee import open_detector
from training.environment import describe_environment
from training.job import CHECKPOINT, job_digest, write_result
from training.launch import parent_processes
from training.loop.guards import StopRequest, Watchdog
from training.loop.learner import Learner
from training.loop.loop import TrainingLoop
from training.loop.meter import Meter
from training.loop.progress import MetricsLog
from training.loop.ranks import Ranks, join_ranks
from training.loop.selection import Selection
from training.loop.state import load_state
from training.loop.trainee import Trainee
from training.recognition.trainee import open_recogniser

MOST_LOADER_THREADS = 8


def train_rank(
    job: TrainRecogniserJob | TrainDetectorJob, folder: Path, *, fail: Callable[[OcrError], None]
) -> None:
    """Train as one of the ranks; the first leaves the checkpoint and result.json.

    Args:
        job: What to train on what.
        folder: Of the job, with the snapshot in it.
        fail: Told why when the process must end hard.
    """
    started = time.monotonic()
    stop = StopRequest()
    stop.listen()
    cv2.setNumThreads(1)  # crops are small: its threads cost more than they give
    ranks = join_ranks(folder, device=job.resources.device)
    trainee = open_trainee(job, folder, ranks=ranks)
    loaded = time.monotonic()
    watchdog = Watchdog(
        timeout_s=job.training.no_progress_timeout_s,
        stop=stop,
        parents=parent_processes(),
        fail=fail,
    )
    ranks.beat = watchdog.beat
    try:
        ranks.meet()
        loop = build_loop(job, folder, trainee, ranks=ranks, watchdog=watchdog, stop=stop)
        loop.run()
        if ranks.is_first:
            finish(job, folder, loop, load_s=loaded - started)
    finally:
        watchdog.close()


def open_trainee(
    job: TrainRecogniserJob | TrainDetectorJob, folder: Path, *, ranks: Ranks
) -> Trainee:
    """Decode the snapshot of a job into memory and plan the training on it."""
    if isinstance(job, TrainDetectorJob):
        return open_detector(job, folder, ranks=ranks)
    return open_recogniser(job, folder, ranks=ranks)


def build_loop(
    job: TrainRecogniserJob | TrainDetectorJob,
    folder: Path,
    trainee: Trainee,
    *,
    ranks: Ranks,
    watchdog: Watchdog,
    stop: StopRequest,
) -> TrainingLoop:
    """Put the parts of a training together, in the state that an earlier run left."""
    training = job.training
    state = load_state(folder)
    log = MetricsLog(folder if ranks.is_first else None, done=state.step if state else 0)
    loop = TrainingLoop(
        job=job_digest(job),
        folder=folder,
        training=training,
        trainee=trainee,
        ranks=ranks,
        learner=Learner(
            trainee,
            seed=training.seed,
            weight_decay=training.weight_decay,
            clip_norm=training.clip_norm,
            amp=training.amp,
            parallel=ranks.count > 1,
        ),
        selection=Selection(trainee, decay=training.ema_decay, patience=training.patience),
        meter=Meter(ranks=ranks, steps=trainee.steps, log=log),
        log=log,
        watchdog=watchdog,
        stop=stop,
        loader_threads=count_loader_threads(job),
    )
    if state is not None:
        loop.restore(state)
    return loop


def count_loader_threads(job: TrainRecogniserJob | TrainDetectorJob) -> int:
    """One thread keeps up with a CPU; a GPU takes a fair share of the cores."""
    if job.resources.device == "cpu":
        return 1
    return max(1, min(MOST_LOADER_THREADS, (os.cpu_count() or 1) // job.resources.devices))


def finish(
    job: TrainRecogniserJob | TrainDetectorJob, folder: Path, loop: TrainingLoop, *, load_s: float
) -> None:
    """Measure the weights to use, write their checkpoint and last the result."""
    checkpoint = folder / CHECKPOINT
    checkpoint.mkdir(exist_ok=True)
    net = loop.selection.net(loop.selection.weights)
    metrics = loop.trainee.finish(net, checkpoint)
    meter = loop.meter
    result = TrainResult(
        kind=job.kind,
        checkpoint=CHECKPOINT,
        metrics=metrics,
        timings={
            "load_s": load_s,
            "train_s": meter.seconds,
            "images_per_s": meter.images_per_s,
        },
        environment=describe_environment(
            device=job.resources.device, devices=job.resources.devices
        ),
    )
    write_result(folder, result)
