"""What is trained: all in which a detector differs from a recogniser."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Tensor = Any  # paddle ships no types


class Batch(Protocol):
    """One step of one rank; what else it holds is between a trainee's batches and its loss."""

    @property
    def images(self) -> NDArray[np.float32]:
        """(N, C, H, W) as the net takes them."""
        ...


@dataclass(frozen=True)
class Validation:
    """How well a net does on validation samples.

    Attributes:
        score: What is to become as large as can be; one of the metrics.
        loss: Decides between equal scores.
        metrics: All of it by name, for the log and the result.
    """

    score: float
    loss: float
    metrics: dict[str, float]


def spread(count: int, *, limit: int) -> NDArray[np.int64]:
    """Return at most `limit` of the indexes below `count`, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(limit, count)).astype(np.int64))


class SecondPhase(Protocol):
    """A change of the batches in mid-run, prepared on the first rank with the net so far."""

    status: Literal["off", "pending", "running", "refused"]

    @property
    def start_step(self) -> int:
        """The step before which it is built."""
        ...

    def build(self, net: Any) -> str:
        """Prepare it; return why it cannot be, empty when it can."""
        ...


class Trainee(Protocol):
    """The net of a task with its batches, its loss and its measure."""

    @property
    def steps(self) -> int:
        """Of the whole run."""
        ...

    @property
    def second_phase(self) -> SecondPhase | None:
        """What changes in mid-run; None: nothing."""
        ...

    def build_net(self) -> Any:
        """Return a new net, weights drawn from paddle's generator."""
        ...

    def batches(self) -> Callable[[int], Batch]:
        """Return what makes the batch of any step, as the phase has it now.

        A batch is a pure function of seed, rank and step.
        """
        ...

    def loss(self, outputs: Tensor, batch: Any, *, step: int) -> tuple[Tensor, Tensor]:
        """Return the loss to descend, and detached the one to report."""
        ...

    def validate(self, net: Any) -> Validation:
        """Measure a net on so much of the val split that it costs little of the run."""
        ...

    def finish(self, net: Any, checkpoint: Path) -> dict[str, float]:
        """Leave the checkpoint of the net to use; return its metrics on the whole val split."""
        ...
