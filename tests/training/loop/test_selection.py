"""The average of weights, on the device until somebody asks; and when it is over, the best one."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest

from training.loop.selection import Selection, WeightAverage
from training.loop.trainee import Batch, Tensor, Validation


class Validated:
    """A trainee whose validations are known: each a score and a loss."""

    steps = 100
    second_phase = None

    def __init__(self, validations: Iterable[tuple[float, float]]) -> None:
        self._validations = iter(validations)

    def build_net(self) -> Any:
        return make_net()

    def validate(self, _net: Any) -> Validation:
        score, loss = next(self._validations)
        return Validation(score, loss, {})

    def batches(self) -> Callable[[int], Batch]:
        raise NotImplementedError

    def loss(self, outputs: Tensor, batch: Any, *, step: int) -> tuple[Tensor, Tensor]:
        raise NotImplementedError

    def finish(self, net: Any, checkpoint: Path) -> dict[str, float]:
        raise NotImplementedError


def make_net() -> Any:
    paddle.seed(0)
    return paddle.nn.Linear(3, 2)


def shift(net: Any) -> None:
    for parameter in net.parameters():
        parameter.set_value(parameter + 1.0)


def test_following_a_net_copies_nothing_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    net, average = make_net(), WeightAverage(decay=0.9)
    copied: list[Any] = []
    to_numpy = paddle.Tensor.numpy

    def note(tensor: Any) -> Any:
        copied.append(tensor)
        return to_numpy(tensor)

    monkeypatch.setattr(paddle.Tensor, "numpy", note)

    for step in (1, 5, 10):
        average.follow(net, step=step, last=False)

    assert copied == []
    assert len(average.weights) == len(copied) == 2


def test_an_average_goes_on_from_where_it_was() -> None:
    net = make_net()
    average, later = WeightAverage(decay=0.9), WeightAverage(decay=0.9)
    average.follow(net, step=1, last=False)
    shift(net)
    average.follow(net, step=5, last=False)

    later.restore(average.weights, updates=average.updates)
    shift(net)
    for each in (average, later):
        each.follow(net, step=10, last=False)

    for name, value in average.weights.items():
        np.testing.assert_array_equal(later.weights[name], value)
        assert (value < net.state_dict()[name].numpy()).all()


def test_an_average_that_was_read_is_not_moved() -> None:
    net, average = make_net(), WeightAverage(decay=0.0)
    average.follow(net, step=1, last=False)

    before = average.weights
    kept = {name: value.copy() for name, value in before.items()}
    shift(net)
    average.follow(net, step=5, last=False)

    for name, value in kept.items():
        np.testing.assert_array_equal(before[name], value)


def test_an_average_moves_at_the_first_step_every_few_and_at_the_last() -> None:
    net, average = make_net(), WeightAverage(decay=0.9)

    moves = []
    for step in (1, 2, 4, 5, 6, 7):
        average.follow(net, step=step, last=step == 7)
        moves.append(average.updates)

    assert moves == [1, 1, 1, 2, 2, 3]


def select(*validations: tuple[float, float], patience: int) -> tuple[Selection, list[bool]]:
    """Validate one net after another, each moved on; say after each whether the run is over."""
    net, selection = make_net(), Selection(Validated(validations), decay=0.0, patience=patience)
    over = []
    for number in range(len(validations)):
        selection.average.follow(net, step=5 * number + 5, last=False)
        selection.validate()
        over.append(selection.is_over)
        shift(net)
    return selection, over


def shifts(selection: Selection) -> int:
    """Say how often the net had been moved on whose weights are selected."""
    return round(float((selection.weights["bias"] - make_net().bias.numpy()).mean()))


@pytest.mark.parametrize(
    ("validations", "over", "chosen"),
    [
        ([(0.5, 1.0), (0.6, 1.0), (0.7, 1.0)], [False, False, False], 2),
        ([(0.5, 1.0), (0.5, 1.0), (0.4, 0.1)], [False, False, True], 0),
        ([(0.5, 1.0), (0.4, 1.0), (0.6, 1.0), (0.5, 1.0)], [False] * 4, 2),
        ([(0.5, 1.0), (0.5, 0.9), (0.5, 0.9), (0.5, 0.9)], [False, False, False, True], 1),
    ],
    ids=["progress", "none", "progress at last", "a smaller loss of equal scores"],
)
def test_a_run_is_over_when_so_many_validations_in_a_row_were_no_better(
    validations: list[tuple[float, float]], over: list[bool], chosen: int
) -> None:
    selection, found = select(*validations, patience=2)

    assert found == over
    assert shifts(selection) == chosen


def test_without_patience_the_last_average_is_taken() -> None:
    selection, over = select((0.9, 1.0), (0.1, 1.0), (0.1, 1.0), patience=0)

    assert over == [False] * 3
    assert shifts(selection) == 2


def test_patience_and_the_best_weights_go_on_from_where_they_were() -> None:
    selection, _ = select((0.5, 1.0), (0.4, 1.0), patience=2)
    later = Selection(Validated([(0.4, 1.0)]), decay=0.0, patience=2)

    later.restore(*selection.state())
    later.validate()

    assert later.is_over
    assert shifts(later) == 0
