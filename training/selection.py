"""Which weights a run leaves: the average of the last, or of the best under early stopping."""

from collections.abc import Callable
from typing import Any

from ocr.preprocess import InputSpec
from training.checkpoint import Arrays, load_weights
from training.crops import Crops
from training.ema import WeightAverage
from training.reading import Validation, validate
from training.recogniser_net import NetSpec, build_net


class Selection:
    """Averages weights, validates them and keeps the best ones where patience is limited.

    Without early stopping the last average is taken: the learning rate has come to rest there,
    and the best of several noisy validations is luck.
    """

    def __init__(
        self,
        net_spec: NetSpec,
        *,
        val: Crops,
        decay: float,
        patience: int,
        limit: int,
        beat: Callable[[], None],
    ) -> None:
        """Select on the val split.

        Args:
            net_spec: The net whose weights are selected.
            val: Labelled crops.
            decay: Of the average.
            patience: Validations without progress until the run is over; 0: any.
            limit: Crops read per validation but the final one.
            beat: Called after every batch.
        """
        self.average = WeightAverage(decay=decay)
        self.is_over = False
        self._net = build_net(net_spec)
        self._net.eval()
        self._charset = net_spec.charset
        self._spec = InputSpec(net_spec.layout, net_spec.height_px, net_spec.width_px)
        self._val = val
        self._patience = patience
        self._limit = limit
        self._beat = beat
        self._best: Arrays = {}
        self._best_score = (-1.0, 0.0)
        self._bad_rounds = 0

    @property
    def weights(self) -> Arrays:
        """The weights to use."""
        return self._best or self.average.weights

    def net(self, weights: Arrays) -> Any:
        """Return the reading net with these weights; the next call changes them."""
        load_weights(self._net, weights)
        return self._net

    def validate(self) -> Validation:
        """Read some of the val split with the average, and decide whether the run is over."""
        validation = self._read(self.average.weights, limit=self._limit)
        if self._patience:
            self._judge((validation.accuracy, -validation.loss))
        return validation

    def validate_final(self) -> Validation:
        """Read the whole val split with the weights to use."""
        return self._read(self.weights, limit=len(self._val))

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
        self.average.weights = groups.get("average", {})
        self.average.updates = facts["updates"]
        self._best = groups.get("best", {})
        accuracy, loss = facts["best_score"]
        self._best_score = (accuracy, loss)
        self._bad_rounds = facts["bad_rounds"]
        self.is_over = facts["is_over"]

    def _judge(self, score: tuple[float, float]) -> None:
        if score > self._best_score:
            self._best_score, self._bad_rounds = score, 0
            self._best = {name: value.copy() for name, value in self.average.weights.items()}
        else:
            self._bad_rounds += 1
            self.is_over = self._bad_rounds >= self._patience

    def _read(self, weights: Arrays, *, limit: int) -> Validation:
        return validate(
            self.net(weights),
            self._val,
            spec=self._spec,
            charset=self._charset,
            limit=limit,
            beat=self._beat,
        )
