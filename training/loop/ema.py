"""An exponential moving average of the weights; it reads better than the weights themselves."""

from typing import Any

from training.loop.checkpoint import Arrays, read_weights

EVERY_STEPS = 5


class WeightAverage:
    """The average, kept in host memory."""

    def __init__(self, *, decay: float) -> None:
        self.decay = decay
        self.updates = 0
        self.weights: Arrays = {}

    def follow(self, net: Any, *, step: int, last: bool) -> None:
        """Move towards the net's weights at the first step, every few, and at the last."""
        if step > 1 and step % EVERY_STEPS and not last:
            return
        weights = read_weights(net)
        if not self.weights:
            self.weights = weights
        self.updates += 1
        share = 1 - min(self.decay, (1 + self.updates) / (10 + self.updates))
        for name, average in self.weights.items():
            average += share * (weights[name] - average)
