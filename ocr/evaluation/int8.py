"""What a net in 8 bits costs and saves beside the same net in float32."""

from dataclasses import dataclass

from ocr.evaluation.comparison import Comparison
from ocr.models.bundle import INT8_PRICE

LARGEST_LOSS = 0.005
"""Of the validation split's accuracy or Hmean: about the noise between two seeds of a training."""
LONGEST_TIME = 0.9
"""By that in float32: a form that saves less is not worth another answer."""
RESAMPLES = 2000
SEED = 0


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
