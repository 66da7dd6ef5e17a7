"""What a recogniser's training starts from: a net of noise, or one that reads already."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from configs.training import RecogniserTrainingParams
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.forms.exportable import Run
from training.loop.checkpoint import Arrays
from training.recognition.net import RecogniserNetSpec, build_recogniser_net


@dataclass(frozen=True)
class Start:
    """A net at the first step.

    Attributes:
        spec: All that is needed to build the whole net again: a dataclass of the net's own.
        charset: The characters that it is to read.
        build: Builds the part that is learnt, its weights drawn from paddle's generator or given.
        front: The part before that, which is not learnt: a batch passes it when it is made.
        frozen: The weights of that part, by the whole net's names.
    """

    spec: Any
    charset: Charset
    build: Callable[[], Any]
    front: Run | None = None
    frozen: Arrays = field(default_factory=dict)

    @property
    def input(self) -> LineSpec:
        """What the image of a line becomes before the net."""
        found: LineSpec = self.spec.input
        return found


def start_compact(training: RecogniserTrainingParams, charset: Charset) -> Start:
    """Start from noise."""
    taken = LineSpec(training.layout, training.height_px, training.width_px)
    spec = RecogniserNetSpec(taken, training.size, training.gray, charset.characters)
    return Start(spec, charset, build=lambda: build_recogniser_net(spec))
