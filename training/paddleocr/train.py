"""Trains a recogniser with PaddleOCR's tools: from a snapshot in the store to a checkpoint.

python -m training train-paddleocr-recogniser DIR/job.json
"""

import shutil
import time
from pathlib import Path

from configs.jobs import TrainPaddleOcrJob, TrainResult
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.models.provenance import name_code
from training.environment import describe_environment
from training.job import CHECKPOINT, SNAPSHOT, fetch_snapshot, read_result, write_result
from training.loop.guards import StopRequest
from training.paddleocr.data import check_texts, write_files
from training.paddleocr.exporting import export_checkpoint, rehearse_export
from training.paddleocr.kept import Kept
from training.paddleocr.learning import Learning
from training.paddleocr.recogniser_config import (
    Config,
    JobFiles,
    longest_text,
    make_config,
    read_upstream,
    started,
)
from training.paddleocr.validation import validate_exported
from training.paddleocr.weights import fetch_weights

DATA = "data"
OUTPUT = "output"
LOG = "trainer.log"
REHEARSAL = "rehearsal"
PRETRAINED = "pretrained.pdparams"


def train_with_paddleocr(job: TrainPaddleOcrJob, folder: Path) -> TrainResult:
    """Train as the job says, and go on after the last whole epoch of an earlier run.

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
    begun = time.monotonic()
    config = _prepare(job, folder)
    load_s = time.monotonic() - begun
    kept = Kept(folder)
    if not kept.state.epoch:
        rehearse_export(job, folder / REHEARSAL, config=config, stop=stop)
    learning = Learning(job, folder, config=config, kept=kept, stop=stop)
    if kept.state.epoch < job.training.epochs:
        learning.run(folder / LOG)
    checkpoint = folder / CHECKPOINT
    shutil.rmtree(checkpoint, ignore_errors=True)
    spec = export_checkpoint(job, checkpoint, config=config, weights=kept.weights, stop=stop)
    metrics = validate_exported(checkpoint, spec, open_line_snapshot(folder / SNAPSHOT))
    if kept.state.accuracy >= 0:
        metrics["paddleocr_accuracy"] = kept.state.accuracy
    resources = job.resources
    environment = describe_environment(device=resources.device, devices=1, code=code)
    result = TrainResult(
        kind=job.kind,
        checkpoint=CHECKPOINT,
        metrics=metrics,
        timings={"load_s": load_s, "train_s": kept.state.seconds, **learning.timings},
        environment=environment | {"engine": "paddleocr", "paddleocr": job.runtime.tree[:12]},
    )
    write_result(folder, result)
    return result


def _prepare(job: TrainPaddleOcrJob, folder: Path) -> Config:
    """Refuse what cannot be trained, then write all that the trainer reads."""
    training = job.training
    gpu = job.resources.device == "gpu"
    upstream = read_upstream(Path(job.runtime.home), training.net)
    data = folder / DATA
    files = JobFiles(
        data=data,
        train=data / "train.txt",
        val=data / "val.txt",
        charset=data / "charset.txt",
        output=folder / OUTPUT,
    )
    # Asked before the snapshot is fetched: a wrong key need not wait for a dataset.
    longest = longest_text(make_config(upstream, training, files=files, lines=0, gpu=gpu))
    fetch_snapshot(job, folder)
    snapshot = open_line_snapshot(folder / SNAPSHOT)
    lines = check_texts(snapshot, longest=longest, batch_size=training.batch_size)
    config = make_config(upstream, training, files=files, lines=lines, gpu=gpu)
    if training.pretrained:
        weights = folder / PRETRAINED
        fetch_weights(training.pretrained, training.pretrained_sha256, weights)
        config = started(config, weights)
    write_files(snapshot, files)
    return config
