"""One rank of a training: the snapshot into memory, the loop, and on the first the result."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import cv2

from configs.jobs import TrainJob, TrainResult
from ocr.charset import Charset
from ocr.errors import OcrError
from ocr.preprocess import InputSpec
from ocr.sample import Split
from ocr.snapshot import Snapshot, open_snapshot
from training.batches import BatchMaker
from training.checkpoint import save_checkpoint
from training.composing import Composition
from training.crops import Crops, collect_crops
from training.environment import describe_environment
from training.guards import StopRequest, Watchdog
from training.job import job_digest, write_result
from training.launch import parent_processes
from training.learner import Learner
from training.loop import TrainingLoop
from training.meter import Meter
from training.plan import make_plan
from training.progress import MetricsLog
from training.ranks import Ranks, join_ranks
from training.recogniser_net import NetSpec
from training.selection import Selection
from training.source import PlainSource
from training.state import load_state
from training.train import SNAPSHOT

CHECKPOINT = "checkpoint"
VALIDATED_SHARE = 0.1
"""Crops read by all validations but the final one, per crop learnt from: about 2 % of the time."""
LEAST_VALIDATED = 256
MOST_LOADER_THREADS = 8


def train_rank(job: TrainJob, folder: Path, *, fail: Callable[[OcrError], None]) -> None:
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
    train, val, charset = read_splits(open_snapshot(folder / SNAPSHOT), job)
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
        loop = build_loop(
            job,
            folder,
            charset=charset,
            train=train,
            val=val,
            ranks=ranks,
            watchdog=watchdog,
            stop=stop,
        )
        loop.run()
        if ranks.is_first:
            timings = {"load_s": loaded - started, "train_s": loop.meter.seconds}
            finish(job, folder, loop, charset=charset, timings=timings)
    finally:
        watchdog.close()


def read_splits(snapshot: Snapshot, job: TrainJob) -> tuple[Crops, Crops, Charset]:
    """Decode the train and val splits into memory."""
    training = job.training
    spec = InputSpec(training.layout, training.height_px, training.width_px)

    def read(split: Split) -> Crops:
        pairs = ((str(row.text), image) for row, image in snapshot.images(split))
        return collect_crops(pairs, split=split, charset=snapshot.charset, spec=spec)

    return read("train"), read("val"), snapshot.charset


def build_loop(
    job: TrainJob,
    folder: Path,
    *,
    charset: Charset,
    train: Crops,
    val: Crops,
    ranks: Ranks,
    watchdog: Watchdog,
    stop: StopRequest,
) -> TrainingLoop:
    """Put the parts of a training together, in the state that an earlier run left."""
    training = job.training
    state = load_state(folder)
    spec = InputSpec(training.layout, training.height_px, training.width_px)
    net_spec = make_net_spec(job, charset)
    plan = make_plan(
        train, spec=spec, batch_size=training.batch_size, ranks=ranks.count, seed=training.seed
    )
    steps = training.epochs * plan.steps_per_epoch
    plain = PlainSource(train, proportional=training.layout == "line")
    log = MetricsLog(folder if ranks.is_first else None, done=state.step if state else 0)
    loop = TrainingLoop(
        job=job_digest(job),
        folder=folder,
        training=training,
        steps=steps,
        ranks=ranks,
        learner=Learner(
            net_spec,
            seed=training.seed,
            weight_decay=training.weight_decay,
            clip_norm=training.clip_norm,
            amp=training.amp,
            parallel=ranks.count > 1,
        ),
        maker=BatchMaker(
            plan=plan,
            source=plain,
            fallback=plain,
            spec=spec,
            augmentation=training.augmentation,
            seed=training.seed,
            rank=ranks.rank,
        ),
        composition=Composition(
            train,
            plain=plain,
            spec=spec,
            charset=charset,
            params=training.composition,
            seed=training.seed,
            folder=folder,
        ),
        selection=Selection(
            net_spec,
            val=val,
            decay=training.ema_decay,
            patience=training.patience,
            limit=int(VALIDATED_SHARE * training.epochs * len(train) / training.evaluations)
            + LEAST_VALIDATED,
            beat=watchdog.beat,
        ),
        meter=Meter(ranks=ranks, steps=steps, log=log),
        log=log,
        watchdog=watchdog,
        stop=stop,
        loader_threads=count_loader_threads(job),
    )
    if state is not None:
        loop.restore(state)
    return loop


def count_loader_threads(job: TrainJob) -> int:
    """One thread keeps up with a CPU; a GPU takes a fair share of the cores."""
    if job.resources.device == "cpu":
        return 1
    return max(1, min(MOST_LOADER_THREADS, (os.cpu_count() or 1) // job.resources.devices))


def make_net_spec(job: TrainJob, charset: Charset) -> NetSpec:
    """Return what the net of a job is built from."""
    training = job.training
    return NetSpec(
        layout=training.layout,
        height_px=training.height_px,
        width_px=training.width_px,
        size=training.size,
        gray=training.gray,
        charset=charset.characters,
    )


def finish(
    job: TrainJob, folder: Path, loop: TrainingLoop, *, charset: Charset, timings: dict[str, float]
) -> None:
    """Validate the weights to use, write their checkpoint and last the result."""
    read = loop.selection.validate_final()
    checkpoint = folder / CHECKPOINT
    checkpoint.mkdir(exist_ok=True)
    spec = make_net_spec(job, charset)
    save_checkpoint(checkpoint, weights=loop.selection.weights, spec=spec)
    result = TrainResult(
        checkpoint=CHECKPOINT,
        metrics={"accuracy": read.accuracy, "ned": read.ned, "loss": read.loss},
        timings={**timings, "images_per_s": loop.meter.images_per_s},
        environment=describe_environment(
            device=job.resources.device, devices=job.resources.devices
        ),
    )
    write_result(folder, result)
