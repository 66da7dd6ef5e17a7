"""The recogniser as the loop trains it."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from configs.jobs import TrainRecogniserJob
from configs.training import RecogniserNet, RecogniserTrainingParams
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.dataset.split import Split
from ocr.models.charset import Charset
from training.job import SNAPSHOT
from training.loop.checkpoint import read_weights
from training.loop.progress import note, quoted
from training.loop.ranks import Ranks
from training.loop.trainee import Tensor, Validation
from training.recognition.batches import CropBatch, CropBatchMaker
from training.recognition.checkpoint import save_recogniser
from training.recognition.composing import Composition
from training.recognition.loss import guide_weight, recognition_loss
from training.recognition.plan import make_plan
from training.recognition.ppocr_v6.start import start_pretrained
from training.recognition.samples import Crops, Line, collect_crops
from training.recognition.source import PlainSource
from training.recognition.start import RecogniserStart, start_compact
from training.recognition.validation import validate

STARTS: dict[RecogniserNet, Callable[[RecogniserTrainingParams, Charset], RecogniserStart]] = {
    "compact": start_compact,
    "ppocr-v6-small": start_pretrained,
}
VALIDATED_SHARE = 0.1
"""Crops read by all validations before the last, per crop learnt from: 2 % of the time."""
LEAST_VALIDATED = 256


class RecogniserTrainee:
    """The net, batches, loss and validation of a recogniser; see `training.loop.trainee`."""

    def __init__(
        self,
        training: RecogniserTrainingParams,
        folder: Path,
        *,
        start: RecogniserStart,
        train: Crops,
        val: Crops,
        ranks: Ranks,
    ) -> None:
        """Plan a training.

        Args:
            training: How to train.
            folder: The job's, where the second phase leaves its files.
            start: The net at the first step.
            train: The training set.
            val: The validation set.
            ranks: This rank among the others.
        """
        self._training = training
        self._start = start
        self._val = val
        self._ranks = ranks
        plan = make_plan(
            train,
            spec=start.input,
            batch_size=training.batch_size,
            ranks=ranks.count,
            seed=training.seed,
        )
        self.steps = training.epochs * plan.steps_per_epoch
        plain = PlainSource(train, proportional=training.layout == "line")
        self._maker = CropBatchMaker(
            plan=plan,
            source=plain,
            fallback=plain,
            spec=start.input,
            augmentation=training.augmentation,
            seed=training.seed,
            rank=ranks.rank,
            front=start.front,
        )
        self.second_phase = Composition(
            train,
            plain=plain,
            spec=start.input,
            charset=start.charset,
            params=training.composition,
            start_step=math.ceil(training.composition.start_share * self.steps),
            seed=training.seed,
            folder=folder,
        )
        learnt = training.epochs * len(train)
        self._limit = int(VALIDATED_SHARE * learnt / training.evaluations) + LEAST_VALIDATED

    def build_net(self) -> Any:
        """Return a new net."""
        return self._start.build()

    def batches(self) -> Callable[[int], CropBatch]:
        """Return the maker of batches, of composed crops once there are any."""
        return replace(self._maker, source=self.second_phase.source).make

    def loss(self, outputs: Tensor, batch: CropBatch, *, step: int) -> tuple[Tensor, Tensor]:
        """Return the loss to descend and CTC's nats per character."""
        guide = guide_weight(
            step,
            steps=self.steps,
            weight=self._training.guide_weight,
            share=self._training.guide_share,
        )
        return recognition_loss(outputs, batch, guide=guide)

    def validate(self, net: Any) -> Validation:
        """Read some of the val split."""
        return self._read(net, limit=self._limit)

    def finish(self, net: Any, checkpoint: Path) -> dict[str, float]:
        """Read the whole val split and save the net."""
        validation = self._read(net, limit=len(self._val))
        weights = self._start.frozen | read_weights(net)
        save_recogniser(checkpoint, weights=weights, spec=self._start.spec)
        return validation.metrics

    def _read(self, net: Any, *, limit: int) -> Validation:
        return validate(
            net,
            self._val,
            spec=self._start.input,
            charset=self._start.charset.characters,
            limit=limit,
            beat=self._ranks.beat,
        )


def open_recogniser(job: TrainRecogniserJob, folder: Path, *, ranks: Ranks) -> RecogniserTrainee:
    """Decode the snapshot of a job into memory and plan the training on it.

    Raises:
        BadInput: The net to start from is not on this machine.
        BadData: A split is empty, or holds texts that the net cannot learn to read.
    """
    snapshot = open_line_snapshot(folder / SNAPSHOT)
    start = STARTS[job.training.net](job.training, snapshot.charset)

    def say(message: str) -> None:
        if ranks.is_first:
            note(folder, message)

    if start.new:
        say(
            f"{len(start.new)} characters that {job.training.net} does not know start from noise: "
            f"{quoted(start.new)}"
        )

    def read(split: Split) -> Crops:
        lines = (
            Line(line.text, image, around_px)
            for line, image, around_px in snapshot.images_with_surroundings(split)
        )
        return collect_crops(lines, split=split, charset=start.charset, spec=start.input, say=say)

    return RecogniserTrainee(
        job.training, folder, start=start, train=read("train"), val=read("val"), ranks=ranks
    )
