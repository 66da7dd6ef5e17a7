"""What a line of the trainer's log says."""

import re
from dataclasses import dataclass
from pathlib import Path

STEP = re.compile(
    r"epoch: \[(?P<epoch>\d+)/\d+\], global_step: (?P<step>\d+), (?P<stats>.*), "
    r"avg_reader_cost: .* ips: (?P<ips>[\d.]+) samples/s"
)
STEPS = re.compile(r"train dataloader has (?P<steps>\d+) iters")
METRIC = re.compile(r"cur metric, (?P<stats>.*)")
READING = re.compile(r"eval model:+ .*\d+/\d+")
BEST = re.compile(r"save best model is to (?P<path>\S.*)")
LATEST = re.compile(r"save model in (?P<path>.*latest)\s*$")
OURS = {
    "acc": "accuracy",
    "norm_edit_dis": "ned",
    "hmean": "hmean",
    "precision": "precision",
    "recall": "recall",
}
"""Its names of metrics, and ours."""


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
        loss: Mean of the last steps.
        learning_rate: Of the step.
        images_per_s: Since the line before.
    """

    epoch: int
    step: int
    loss: float
    learning_rate: float
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
        return next(self.metrics[name] for name in ("accuracy", "hmean") if name in self.metrics)


@dataclass(frozen=True)
class Saved:
    """A checkpoint is complete: its files without their suffix."""

    path: Path
    is_best: bool


@dataclass(frozen=True)
class Busy:
    """It is reading the val split."""


Said = EpochSteps | Step | Validated | Saved | Busy


def understand(line: str) -> Said | None:
    """Return what a line says; None: nothing of the training's progress."""
    if found := STEP.search(line):
        stats = _numbers(found["stats"])
        return Step(
            epoch=int(found["epoch"]),
            step=int(found["step"]),
            loss=stats["loss"],
            learning_rate=stats["lr"],
            images_per_s=float(found["ips"]),
        )
    if found := METRIC.search(line):
        stats = _numbers(found["stats"])
        return Validated({OURS[name]: value for name, value in stats.items() if name in OURS})
    if found := STEPS.search(line):
        return EpochSteps(int(found["steps"]))
    for pattern, is_best in ((BEST, True), (LATEST, False)):
        if found := pattern.search(line):
            return Saved(Path(found["path"].strip()), is_best)
    return Busy() if READING.search(line) else None


def _numbers(stats: str) -> dict[str, float]:
    pairs = (pair.split(": ", 1) for pair in stats.split(", ") if ": " in pair)
    return {name: float(value) for name, value in pairs if value not in ("True", "False")}
