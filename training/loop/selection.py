"""Selects the weights that a run leaves: the last average, or under early stopping the best."""

from typing import Any

import paddle

from training.loop.checkpoint import Arrays, load_weights, to_host
from training.loop.trainee import Trainee, Validation

AVERAGED_EVERY_STEPS = 5


class Selection:
    """Averages weights, validates them and keeps the best ones where patience is limited.

    Without early stopping the last average is taken: the learning rate has come to rest there,
    and the best of several noisy validations is luck.
    """

    def __init__(self, trainee: Trainee, *, decay: float, patience: int) -> None:
        """Select on the val split.

        Args:
            trainee: What is trained.
            decay: Decay of the average.
            patience: Validations without progress until the run is over; 0: never.
        """
        self.average = WeightAverage(decay=decay)
        self.is_over = False
        self._trainee = trainee
        self._net = trainee.build_net()
        self._net.eval()
        self._patience = patience
        self._best: Arrays = {}
        self._best_score = (-1.0, 0.0)
        self._bad_rounds = 0

    @property
    def weights(self) -> Arrays:
        """The weights to use."""
        return self._best or self.average.weights

    def net(self, weights: Arrays) -> Any:
        """Return the net out of training with these weights; the next call changes them."""
        load_weights(self._net, weights)
        return self._net

    def validate(self) -> Validation:
        """Measure the average, and decide whether the run is over."""
        validation = self._trainee.validate(self.net(self.average.weights))
        if self._patience:
            self._judge((validation.score, -validation.loss))
        return validation

    def state(self) -> tuple[dict[str, Arrays], dict[str, Any]]:
        """Return the arrays and facts that a resume needs."""
        groups = {"average": self.average.weights, "best": self._best}
        facts = {
            "updates": self.average.updates,
            "best_score": self._best_score,
            "bad_rounds": self._bad_rounds,
            "is_over": self.is_over,
        }
        return groups, facts

    def restore(self, groups: dict[str, Arrays], facts: dict[str, Any]) -> None:
        """Go on from a state."""
        self.average.restore(groups.get("average", {}), updates=facts["updates"])
        self._best = groups.get("best", {})
        score, loss = facts["best_score"]
        self._best_score = (score, loss)
        self._bad_rounds = facts["bad_rounds"]
        self.is_over = facts["is_over"]

    def _judge(self, score: tuple[float, float]) -> None:
        if score > self._best_score:
            self._best_score, self._bad_rounds = score, 0
            self._best = self.average.weights
        else:
            self._bad_rounds += 1
            self.is_over = self._bad_rounds >= self._patience


class WeightAverage:
    """An exponential moving average of weights, as float32; it reads better than they do.

    It stays on the device, where it is moved without waiting for the steps under way.
    """

    def __init__(self, *, decay: float) -> None:
        self.decay = decay
        self.updates = 0
        self._tensors: dict[str, Any] = {}

    @property
    def weights(self) -> Arrays:
        """A copy in host memory."""
        return {name: to_host(tensor) for name, tensor in self._tensors.items()}

    def restore(self, weights: Arrays, *, updates: int) -> None:
        """Go on from an average after so many moves."""
        self._tensors = {name: paddle.to_tensor(value) for name, value in weights.items()}
        self.updates = updates

    def follow(self, net: Any, *, step: int, last: bool) -> None:
        """Move towards the net's weights at the first step, every few, and at the last."""
        if step > 1 and step % AVERAGED_EVERY_STEPS and not last:
            return
        self.updates += 1
        share = 1 - min(self.decay, (1 + self.updates) / (10 + self.updates))
        for name, value in net.state_dict().items():
            weight = value.detach().astype("float32")
            average = self._tensors.setdefault(name, weight.clone())
            average.add_((weight - average).scale_(share))
