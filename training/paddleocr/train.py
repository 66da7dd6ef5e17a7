"""Trains a net with PaddleOCR's tools: from a snapshot in the store to a checkpoint.

python -m training train-paddleocr-recogniser|train-paddleocr-detector DIR/job.json
"""

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from configs.jobs import PaddleOcrKind, TrainPaddleOcrJob, TrainResult
from ocr.models.provenance import name_code
from training.environment import describe_environment
from training.job import CHECKPOINT, read_result, write_result
from training.loop.guards import StopRequest
from training.paddleocr.config import LOADERS_ON_GPU, Config, parted
from training.paddleocr.detection.trainee import DetectorTrainee
from training.paddleocr.distillation import STUDENT, alone, as_learnt, is_distillation
from training.paddleocr.exporting import export_forms
from training.paddleocr.kept import Kept
from training.paddleocr.learning import Learning
from training.paddleocr.measured import measure_uncompiled, report_gain
from training.paddleocr.pretrained.fitting import start_from_weights
from training.paddleocr.recognition.trainee import RecogniserTrainee
from training.paddleocr.rehearsal import rehearse
from training.paddleocr.runtime import describe_runtime, find_unchanged, foreign_machine
from training.paddleocr.trainee import PaddleOcrTrainee
from training.preflight import look_before_training

LOG = "trainer.log"
TRAINEES: dict[PaddleOcrKind, Callable[[Any, Path], PaddleOcrTrainee]] = {
    "train-paddleocr-recogniser": RecogniserTrainee,
    "train-paddleocr-detector": DetectorTrainee,
}


@dataclass(frozen=True)
class Learnt:
    """What a checkpoint is made of.

    Attributes:
        weights: Their file, without its suffix.
        metrics: What the trainer measured of them itself.
        timings: Seconds, epochs and speeds of the learning.
    """

    weights: Path
    metrics: Mapping[str, float] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)


def train_with_paddleocr(job: TrainPaddleOcrJob, folder: Path) -> TrainResult:
    """Train as the job says, and go on after the last whole epoch of an earlier run.

    Without an epoch its weights become a checkpoint as they are.

    Args:
        job: What to train on what.
        folder: Holds job.json; the config, the trainer's log, metrics and result.json land there.

    Raises:
        OcrError: With the exit code of the process; see `ocr.errors`.
    """
    finished = read_result(folder, TrainResult)
    if finished is not None:
        return finished
    stop = StopRequest()
    stop.listen()
    code = name_code()  # before the hours in which somebody may commit
    runtime = find_unchanged(job.runtime)
    machine = foreign_machine(runtime)
    look_before_training(job, folder, machine, gpu_loaders=LOADERS_ON_GPU)
    begun = time.monotonic()
    trainee = TRAINEES[job.kind](job, folder)
    config = parted(trainee.prepare(), job.resources.ranks)
    config = start_from_weights(job, folder, config=config, stop=stop)
    load_s = time.monotonic() - begun
    single = alone(config)
    if job.training.epochs:
        learnt = _learn(job, folder, trainee=trainee, config=config, single=single, stop=stop)
    else:
        learnt = Learnt(Path(config["Global"]["pretrained_model"]).with_suffix(""))
    checkpoint = folder / CHECKPOINT
    shutil.rmtree(checkpoint, ignore_errors=True)
    student = STUDENT if is_distillation(config) else ""
    export_forms(job, checkpoint, config=single, weights=learnt.weights, net=student, stop=stop)
    metrics = trainee.finish(checkpoint, single) | dict(learnt.metrics)
    find_unchanged(job.runtime)
    environment = describe_environment(job.resources, code=code)
    result = TrainResult(
        kind=job.kind,
        checkpoint=CHECKPOINT,
        metrics=metrics,
        timings={"load_s": load_s, **learnt.timings},
        environment=environment | describe_runtime(runtime),
    )
    write_result(folder, result)
    return result


def _learn(
    job: TrainPaddleOcrJob,
    folder: Path,
    *,
    trainee: PaddleOcrTrainee,
    config: Config,
    single: Config,
    stop: StopRequest,
) -> Learnt:
    """Train, unless that is done, and say which weights are the best.

    Args:
        job: As of `train_with_paddleocr`.
        folder: As there.
        trainee: Of the job.
        config: Of the training.
        single: Of a rank that is alone.
        stop: Whether SIGTERM arrived.
    """
    kept = Kept(folder)
    if kept.state.epoch:
        epoch_steps = kept.state.step // kept.state.epoch
    else:
        measured, spec = rehearse(
            job, folder, config=single, stop=stop, find_spec=trainee.find_spec
        )
        epoch_steps = measured.steps
        trainee.check(measured, spec)
        if job.training.to_static and job.resources.nodes == 1:  # the others would wait for it
            measure_uncompiled(job, folder, config=config, stop=stop)
    together = as_learnt(config)
    learning = Learning(job, folder, config=together, epoch_steps=epoch_steps, kept=kept, stop=stop)
    learning.run(folder / LOG)
    state = kept.state
    epochs = {"epochs": float(state.epoch), "best_epoch": float(state.best)}
    speeds = learning.timings | report_gain(folder, learning.timings)
    return Learnt(
        kept.weights,
        metrics={f"paddleocr_{trainee.score}": state.score},
        timings={"train_s": state.seconds, **epochs, **speeds},
    )
