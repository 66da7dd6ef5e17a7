"""Mixed precision: what is kept is float32, and float16's overflows are skipped.

No processor runs a net in bfloat16 or float16: weights are cast here, and Paddle is told of a GPU
so that its loss scale works. The casts of a forward pass are seen by GPUs only.
"""

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray

from ocr.errors import TrainingFailed
from ocr.models.recogniser_spec import LineSpec
from training.loop.checkpoint import load_weights, read_weights
from training.loop.guards import SKIPPED_STEPS, LossCheck
from training.loop.learner import Amp, Learner
from training.loop.selection import WeightAverage
from training.recognition.net import RecogniserNetSpec, build_recogniser_net, masked

pytestmark = [
    pytest.mark.filterwarnings("ignore:When training, we now always track"),
    pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning"),  # Paddle's own
]

SPEC = RecogniserNetSpec(LineSpec("fixed", 16, 32), "small", gray=True, charset=("a",))
HALVES = ["bfloat16", "float16"]


class Batch:
    images: NDArray[np.float32] = np.linspace(-1, 1, 3 * 16 * 32, dtype=np.float32).reshape(
        1, 3, 16, 32
    )


class ToyTrainee:
    """Descends the mean of the logits; at one step they are infinite."""

    overflow_at = -1
    steps = 10
    second_phase = None

    def build_net(self) -> Any:
        return build_recogniser_net(SPEC)

    def batches(self) -> Callable[[int], Batch]:
        return lambda _: Batch()

    def loss(self, outputs: Any, batch: Batch, *, step: int) -> tuple[Any, Any]:
        loss = outputs.astype("float32").mean()
        if step == self.overflow_at:
            loss = loss * math.inf
        return loss, loss.detach()

    def validate(self, net: Any) -> Any:
        raise NotImplementedError

    finish: Any = validate


class GpuTracer:
    """Paddle's tracer, on a GPU as far as mixed precision asks."""

    def __init__(self) -> None:
        object.__setattr__(self, "tracer", paddle.base.framework._dygraph_tracer())

    def __getattr__(self, name: str) -> Any:
        return self if name == "_expected_place" else getattr(self.tracer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.tracer, name, value)

    def is_gpu_place(self) -> bool:
        return True

    def is_xpu_place(self) -> bool:
        return False

    def is_custom_place(self) -> bool:
        return False


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Paddle think that it is on a GPU with float16 and without bfloat16."""
    for name in ("paddle.amp.auto_cast", "paddle.amp.grad_scaler"):
        monkeypatch.setattr(importlib.import_module(name), "_dygraph_tracer", GpuTracer)
    for name, answer in (
        ("_is_gpu_float16_supported", True),
        ("_is_gpu_bfloat16_supported", False),
    ):
        monkeypatch.setattr(
            importlib.import_module("paddle.amp.auto_cast"), name, lambda answer=answer: answer
        )
    # Some processors have bfloat16.
    monkeypatch.setattr(paddle.amp, "is_bfloat16_supported", lambda: False)


def make_learner(amp: Amp, trainee: ToyTrainee | None = None) -> Learner:
    return Learner(
        trainee or ToyTrainee(), seed=0, weight_decay=0.01, clip_norm=5.0, amp=amp, parallel=False
    )


def learn(learner: Learner, step: int) -> float:
    return float(learner.learn(Batch(), step=step, learning_rate=0.01, seed=step))


@pytest.mark.parametrize("half", HALVES)
def test_weights_are_read_as_float32_and_loaded_into_any_net(half: str) -> None:
    whole, halved = build_recogniser_net(SPEC), build_recogniser_net(SPEC).to(dtype=half)

    weights = read_weights(halved)
    load_weights(whole, weights)
    load_weights(halved, read_weights(whole))

    assert {value.dtype for value in weights.values()} == {np.dtype(np.float32)}
    assert {value.dtype for value in halved.parameters()} == {getattr(paddle, half)}
    for name, value in read_weights(whole).items():
        np.testing.assert_array_equal(value, weights[name])
        np.testing.assert_array_equal(value, read_weights(halved)[name])


@pytest.mark.parametrize("half", HALVES)
def test_the_average_of_half_weights_moves_by_less_than_they_could(half: str) -> None:
    net = paddle.nn.Linear(1, 1).to(dtype=half)
    net.set_state_dict({"weight": paddle.ones([1, 1], half), "bias": paddle.zeros([1], half)})
    average = WeightAverage(decay=0.9999)
    average.follow(net, step=1, last=False)
    average.updates = 10**6  # so that it moves by a ten-thousandth of the way

    net.set_state_dict({"weight": paddle.full([1, 1], 2.0, half), "bias": paddle.zeros([1], half)})
    average.follow(net, step=5, last=False)

    assert average.weights["weight"].dtype == np.float32
    assert average.weights["weight"].item() == pytest.approx(1.0001, abs=1e-6)


@pytest.mark.parametrize("amp", ["O1", "O2"])
@pytest.mark.usefixtures("gpu")
def test_a_state_is_float32_and_restored_to_the_last_bit(amp: Amp) -> None:
    learner, other = make_learner(amp), make_learner(amp)
    for step in range(3):
        learn(learner, step)

    state = learner.state()
    other.restore(state)

    kept = [*state["net"].values(), *state["optimizer"].values()]
    assert {value.dtype for value in kept} == {np.dtype(np.float32)}
    assert learn(other, 3) == learn(learner, 3)
    assert other.checksum() == learner.checksum()


@pytest.mark.usefixtures("gpu")
def test_an_infinite_loss_changes_nothing_but_the_loss_scale() -> None:
    trainee = ToyTrainee()
    learner = make_learner("O1", trainee)
    learn(learner, 0)
    before = learner.state()

    trainee.overflow_at = 1
    loss = learn(learner, 1)
    after = learner.state()
    learn(learner, 2)

    assert math.isinf(loss)
    assert learner.skips_overflows
    for group in ("net", "optimizer"):
        for name, value in before[group].items():
            np.testing.assert_array_equal(after[group][name], value, err_msg=name)
    assert after["scaler"]["scale"] == before["scaler"]["scale"] / 2
    assert learner.checksum() != make_checksum(after)


def make_checksum(state: Any) -> int:
    learner = make_learner("off")
    load_weights(learner.net, state["net"])
    return learner.checksum()


def test_a_loss_may_be_no_number_for_a_while_where_a_loss_scale_falls() -> None:
    check = LossCheck(skips=SKIPPED_STEPS)

    for step in range(1, 200):
        bad = step % (SKIPPED_STEPS + 1)  # the longest run that may be
        assert check.keep_finite([math.inf if bad else 1.0], last_step=step) == [1.0] * (not bad)

    with pytest.raises(TrainingFailed, match=f"inf from step 300 to step {300 + SKIPPED_STEPS}"):
        check.keep_finite([1.0] + [math.inf] * (SKIPPED_STEPS + 1), last_step=300 + SKIPPED_STEPS)


def test_masking_keeps_the_precision_of_what_is_masked() -> None:
    activation = paddle.ones([1, 2, 3, 4])

    result = masked(activation, paddle.ones([1, 1, 1, 4], dtype="float64"))

    assert result.dtype == paddle.float32
