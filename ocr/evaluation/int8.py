"""What a net in 8 bits costs and saves beside the same net in float32."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ocr.evaluation.comparison import Comparison
from ocr.models.bundle import INT8_PRICE

LARGEST_LOSS = 0.005
"""Of the validation split's accuracy or Hmean: about the noise between two seeds of a training."""
LONGEST_TIME = 0.9
"""By that in float32: a form that saves less is not worth another answer."""
RESAMPLES = 2000
SEED = 0

In = TypeVar("In")
Out = TypeVar("Out")
Clock = Callable[[], float]
"""Returns processor seconds of the calling thread."""


@dataclass(frozen=True)
class Int8Price:
    """The price of 8 bits.

    Attributes:
        metric: What is compared: ``accuracy`` or ``Hmean``.
        change: From float32 to 8 bits, on the same images.
        alike: Share of the labelled lines that both read alike; or that both find, or both miss.
        time: Processor time by that in float32, on the machine that exported it.
    """

    metric: str
    change: Comparison
    alike: float
    time: float

    @property
    def pays(self) -> bool:
        """Whether it reads as well, as far as these images tell, in less time."""
        return self.change.change >= -LARGEST_LOSS and self.time <= LONGEST_TIME

    @property
    def metrics(self) -> dict[str, float]:
        """What a manifest says of it."""
        change = self.change
        values = (change.change, change.lower, change.upper, self.alike, self.time)
        return dict(zip(INT8_PRICE, values, strict=True))


class Turns(Generic[In, Out]):
    """A net in float32 and the same in 8 bits, asked the same in turns on the calling thread."""

    def __init__(
        self,
        float32: Callable[[In], Out],
        int8: Callable[[In], Out],
        *,
        clock: Clock = time.thread_time,
    ) -> None:
        self._readers = float32, int8
        self._clock = clock
        self._spent_s = [0.0, 0.0]

    def warm_up(self, asked: In) -> None:
        """Let pass what a session does once: it is nobody's price."""
        for read in self._readers:
            read(asked)

    def ask(self, asked: In) -> tuple[Out, Out]:
        """Return what both answer, and count the time of each."""
        answers = []
        for turn, read in enumerate(self._readers):
            began = self._clock()
            answers.append(read(asked))
            self._spent_s[turn] += self._clock() - began
        plain, small = answers
        return plain, small

    @property
    def time(self) -> float:
        """What 8 bits took, by what float32 did."""
        return self._spent_s[1] / self._spent_s[0]
