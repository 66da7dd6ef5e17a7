"""The average of weights: on the device until somebody asks."""

from typing import Any

import numpy as np
import paddle
import pytest

from training.loop.selection import WeightAverage


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
