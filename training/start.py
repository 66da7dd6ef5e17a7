"""What a training starts from: a net of noise, or one that was trained before."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from training.forms.exportable import Run
from training.loop.checkpoint import Arrays


@dataclass(frozen=True, kw_only=True)
class Start:
    """A net at the first step.

    Attributes:
        spec: All that is needed to build the whole net again: a dataclass of the net's own.
        build: Builds the part that is learnt, its weights drawn from paddle's generator or given.
        front: The part before that, which is not learnt: a batch passes it when it is made.
        frozen: The weights of that part, by the whole net's names.
    """

    spec: Any
    build: Callable[[], Any]
    front: Run | None = None
    frozen: Arrays = field(default_factory=dict)
