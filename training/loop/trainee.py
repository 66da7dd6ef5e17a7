"""What the loop trains: all in which a detector differs from a recogniser."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Tensor = Any  # paddle ships no types


class Batch(Protocol):
    """The samples of one step of one rank; only the trainee's loss knows what else it holds."""

    @property
    def images(self) -> NDArray[np.float32]:
        """(N, C, H, W) as the net takes them."""
        ...


@dataclass(frozen=True)
class Validation:
    """How well a net does on validation samples.

    Attributes:
        score: The metric by which weights are selected; larger is better.
        loss: Decides between equal scores.
        metrics: All metrics by name, for the log and the result.
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
        """Steps of the whole run."""
        ...

    @property
    def second_phase(self) -> SecondPhase | None:
        """What changes in mid-run, if anything."""
        ...

    def build_net(self) -> Any:
        """Return a new net, weights drawn from paddle's generator."""
        ...

    def batches(self) -> Callable[[int], Batch]:
        """Return a function that makes the batch of any step, in the present phase.

        A batch is a pure function of seed, rank and step.
        """
        ...

    def loss(self, outputs: Tensor, batch: Any, *, step: int) -> tuple[Tensor, Tensor]:
        """Return the loss to descend, and detached the one to report."""
        ...

    def validate(self, net: Any) -> Validation:
        """Measure a net on a part of the val split that costs little of the run."""
        ...

    def finish(self, net: Any, checkpoint: Path) -> dict[str, float]:
        """Write the checkpoint of a net and return its metrics on the whole val split."""
        ...
