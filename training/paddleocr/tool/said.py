"""What a line of the trainer's log says."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

STEP = re.compile(
    r"epoch: \[(?P<epoch>\d{1,15})/\d+\], global_step: (?P<step>\d{1,15}), (?P<stats>.*), "
    r"avg_reader_cost: .* avg_samples: (?P<images>\S+), ips: (?P<ips>\S+) samples/s"
)
STEPS = re.compile(r"train dataloader has (?P<steps>\d{1,15}) iters")
METRIC = re.compile(r"cur metric, (?P<stats>.*)")
READING = re.compile(r"eval model:+ .*\d+/\d+")
SAVED = re.compile(r"save model in (?P<path>\S.*iter_epoch_(?P<epoch>\d{1,15}))\s*$")
OURS = {
    "acc": "accuracy",
    "norm_edit_dis": "ned",
    "hmean": "hmean",
    "precision": "precision",
    "recall": "recall",
}
"""Its names of metrics, and ours."""
SCORES = ("accuracy", "hmean")


@dataclass(frozen=True)
class EpochSteps:
    """An epoch has so many steps."""

    steps: int


@dataclass(frozen=True)
class Step:
    """A step was learnt.

    Attributes:
        epoch: The epoch under way, from 1.
        step: Steps done.
        loss: Median of the last steps, as many as Global.log_smooth_window says.
        learning_rate: Of the step.
        images: Mean of the steps since the line before.
        images_per_s: Of them.
    """

    epoch: int
    step: int
    loss: float
    learning_rate: float
    images: float
    images_per_s: float


@dataclass(frozen=True)
class Validated:
    """The val split was read.

    Attributes:
        metrics: Of a recogniser: accuracy, the share of texts read exactly, and ned, the mean of
            1 - normalised edit distance; of a detector: hmean, precision and recall.
    """

    metrics: dict[str, float]

    @property
    def score(self) -> float:
        """What the best weights are chosen by."""
        return next(self.metrics[name] for name in SCORES if name in self.metrics)


@dataclass(frozen=True)
class Saved:
    """The checkpoint of an epoch is complete: its files without their suffix."""

    path: Path
    epoch: int


@dataclass(frozen=True)
class Busy:
    """It is at work, such as reading the val split; there is no more to tell."""


Said = EpochSteps | Step | Validated | Saved | Busy


def understand(line: str) -> Said | None:
    """Return what a line says; None: nothing of the training's progress."""
    if found := STEP.search(line):
        stats = _numbers(f"{found['stats']}, images: {found['images']}, ips: {found['ips']}")
        if not {"loss", "lr", "images", "ips"} <= stats.keys():
            return Busy()
        return Step(
            epoch=int(found["epoch"]),
            step=int(found["step"]),
            loss=stats["loss"],
            learning_rate=stats["lr"],
            images=stats["images"],
            images_per_s=stats["ips"],
        )
    if found := METRIC.search(line):
        stats = _numbers(found["stats"])
        metrics = {OURS[name]: value for name, value in stats.items() if name in OURS}
        return Validated(metrics) if metrics.keys() & set(SCORES) else Busy()
    if found := STEPS.search(line):
        return EpochSteps(int(found["steps"]))
    if found := SAVED.search(line):
        return Saved(Path(found["path"]), int(found["epoch"]))
    return Busy() if READING.search(line) else None


def _numbers(stats: str) -> dict[str, float]:
    """Return what is a number, of a loss also one that is none."""
    found: dict[str, float] = {}
    for name, _, value in (pair.partition(": ") for pair in stats.split(", ")):
        with suppress(ValueError):
            number = float(value)
            if math.isfinite(number) or name == "loss":
                found[name] = number
    return found
