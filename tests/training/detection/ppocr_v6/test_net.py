"""The detector in Paddle answers as the ONNX file it is made of, whole or from a later block on."""

from typing import Any

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray

from ocr.reading.onnx_session import open_session
from tests.training.detection.ppocr_v6.weights import draw_grey, start
from tests.training.recognition.ppocr_v6.weights import needs_rapidocr
from training.detection.checkpoint import build_net
from training.detection.net import GREY
from training.loop.checkpoint import load_weights, read_weights
from training.ppocr_v6.wheel import read_wheel_file
from training.start import Start

pytestmark = needs_rapidocr


@pytest.fixture(scope="module")
def begun() -> Start:
    return start()


@pytest.fixture(scope="module")
def whole(begun: Start) -> Any:
    net = build_net(begun.spec)
    load_weights(net, begun.frozen | read_weights(begun.build()))
    net.eval()
    return net


def test_a_grey_page_gives_the_map_of_the_file(whole: Any) -> None:
    session = open_session(read_wheel_file("PP-OCRv6_det_small.onnx"), name="original", threads=1)
    expected = session.run(None, {"x": draw_grey()})[0]

    found = run(whole, draw_grey())

    assert found.shape == (1, 1, 96, 160)
    assert found.max() > 0.5  # it sees the words
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_page_in_colour_gives_the_map_of_the_grey_page(whole: Any) -> None:
    coloured = draw_grey() * np.array([0.2, 0.9, 0.5], np.float32).reshape(1, 3, 1, 1)
    grey = (coloured * np.array(GREY, np.float32).reshape(1, 3, 1, 1)).sum(1, keepdims=True)

    found = run(whole, coloured)

    np.testing.assert_allclose(found, run(whole, grey.repeat(3, axis=1)), atol=1e-4)


def test_the_part_that_is_learnt_answers_as_the_whole(begun: Start, whole: Any) -> None:
    part = begun.build()
    part.eval()

    np.testing.assert_allclose(run(part, draw_grey()), run(whole, draw_grey()), atol=1e-4)


def test_training_takes_what_the_front_gives(begun: Start, whole: Any) -> None:
    assert begun.front is not None
    net = begun.build()
    net.train()

    logits = net(paddle.to_tensor(begun.front(draw_grey())))

    found = paddle.nn.functional.sigmoid(logits).numpy()
    np.testing.assert_allclose(found, run(whole, draw_grey()), atol=5e-3)


def test_gradients_reach_all_that_is_learnt_and_nothing_else(begun: Start) -> None:
    assert begun.front is not None
    net = begun.build()
    net.train()

    net(paddle.to_tensor(begun.front(draw_grey()))).square().mean().backward()

    frozen = ("depthwise.conv.weight", "_mean", "_variance")
    for name, parameter in net.named_parameters():
        is_frozen = name.endswith(frozen) or (".wide." in name and name.endswith("conv.weight"))
        assert parameter.stop_gradient == is_frozen, name
        if not is_frozen:
            assert np.isfinite(parameter.grad.numpy()).all(), name
            assert np.abs(parameter.grad.numpy()).max() > 0 or name.endswith(".bias"), name


def run(net: Any, images: NDArray[np.float32]) -> NDArray[np.float32]:
    with paddle.no_grad():
        answer: NDArray[np.float32] = net(paddle.to_tensor(images)).numpy()
    return answer
