"""Measures a run while it learns: loss, speed, time left."""

import time
from typing import Any

import paddle

from training.loop.guards import LossCheck
from training.loop.progress import MetricsLog
from training.loop.ranks import Ranks


class Meter:
    """Collects the losses of steps, and writes their mean and the speed to the log.

    Losses stay on the device until somebody asks, so that a GPU need not wait for the host.
    """

    def __init__(self, *, ranks: Ranks, steps: int, log: MetricsLog, check: LossCheck) -> None:
        """Measure a run of `steps` whose losses pass a check."""
        self.seconds = 0.0
        self.images = 0
        self._ranks = ranks
        self._steps = steps
        self._log = log
        self._check = check
        self._losses: list[float] = []
        self._pending: list[Any] = []
        self._mark = (0.0, 0, 0)
        self._since = 0.0

    @property
    def images_per_s(self) -> float:
        """Images learnt from per second, over all ranks and resumes."""
        return self.images * self._ranks.count / max(self.seconds, 1e-9)

    def start(self) -> None:
        """Start the clock."""
        self._since = time.monotonic()
        self._mark = (self._since, *self._mark[1:])

    def note(self, loss: Any, *, images: int) -> None:
        """Take the loss of a step, a tensor."""
        self._pending.append(loss)
        self.images += images
        now = time.monotonic()
        self.seconds += now - self._since
        self._since = now

    def settle(self, *, step: int) -> None:
        """Fetch the losses of the steps up to this one.

        Raises:
            TrainingFailed: Too many of them are no numbers.
        """
        if self._pending:
            losses = paddle.stack(self._pending).reshape([-1]).numpy().tolist()
            self._losses += self._check.keep_finite(losses, last_step=step)
            self._pending = []

    def report(self, *, step: int, learning_rate: float) -> None:
        """Write the mean loss since the last report, and the speed; nothing if all was skipped."""
        self.settle(step=step)
        if not self._losses:
            return
        losses, self._losses = self._losses, []
        then, images, first = self._mark
        self._mark = (time.monotonic(), self.images, step)
        elapsed_s = max(self._mark[0] - then, 1e-9)
        self._log.write(
            "step",
            step=step,
            steps=self._steps,
            loss=sum(losses) / len(losses),
            lr=learning_rate,
            images_per_s=(self.images - images) * self._ranks.count / elapsed_s,
            seconds_left=elapsed_s * (self._steps - step) / (step - first),
        )

    def state(self) -> dict[str, Any]:
        """Return what a resume needs; call settle first."""
        return {"seconds": self.seconds, "images": self.images, "losses": self._losses}

    def restore(self, state: dict[str, Any], *, step: int) -> None:
        """Go on from a state."""
        self.seconds, self.images = state["seconds"], state["images"]
        self._losses = list(state["losses"])
        self._mark = (0.0, self.images, step)
