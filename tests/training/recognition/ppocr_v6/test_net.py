"""The net in Paddle answers as the ONNX file it is made of, whole or from a later block on."""

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray

from ocr.reading.onnx_session import open_session
from tests.training.recognition.ppocr_v6.weights import (
    CHARACTERS,
    draw_pixels,
    needs_rapidocr,
    read_graph,
    start,
)
from training.loop.checkpoint import load_weights, read_weights
from training.ppocr_v6.wheel import read_wheel_file
from training.recognition.ppocr_v6.attention import swish
from training.recognition.ppocr_v6.columns import find_columns
from training.recognition.ppocr_v6.net import PretrainedNetSpec, build_pretrained_net
from training.start import Start

pytestmark = needs_rapidocr


@pytest.fixture(scope="module")
def cut() -> Start:
    return start()


@pytest.fixture(scope="module")
def original() -> NDArray[np.float32]:
    """The probabilities of the file itself for the pixels that all tests read."""
    session = open_session(read_wheel_file("PP-OCRv6_rec_small.onnx"), name="original", threads=1)
    return np.asarray(session.run(None, {"x": draw_pixels()})[0], dtype=np.float32)


def test_a_head_for_a_charset_answers_as_the_file_restricted_to_it(
    cut: Start, original: NDArray[np.float32]
) -> None:
    columns = find_columns(read_graph().characters, CHARACTERS)
    known = [number for number, taken in enumerate(columns) if taken]
    net = cut.build()
    net.eval()

    found = run(net, draw_pixels())[:, :, known]

    expected = np.stack([original[:, :, columns[number]].sum(-1) for number in known], axis=-1)
    assert found.shape == (2, 12, len(CHARACTERS))
    np.testing.assert_allclose(normalised(found), normalised(expected), atol=1e-5)


def test_all_characters_answer_as_the_file(original: NDArray[np.float32]) -> None:
    kept = start(keep_charset=True)
    net = kept.build()
    net.eval()

    found = run(net, draw_pixels())

    assert kept.charset.characters[-1] not in read_graph().characters
    np.testing.assert_allclose(normalised(found[:, :, :-1]), original, atol=1e-4)


def test_the_whole_net_of_a_checkpoint_answers_as_the_part_that_is_learnt(cut: Start) -> None:
    part = cut.build()
    part.eval()
    assert isinstance(cut.spec, PretrainedNetSpec)
    whole = build_pretrained_net(cut.spec)
    load_weights(whole, cut.frozen | read_weights(part))
    whole.eval()

    np.testing.assert_allclose(run(whole, draw_pixels()), run(part, draw_pixels()), atol=1e-5)


def test_training_takes_what_the_front_gives(cut: Start) -> None:
    assert cut.front is not None
    net = cut.build()
    net.eval()
    expected = run(net, draw_pixels())

    net.train()
    logits = net(paddle.to_tensor(cut.front(draw_pixels())))

    np.testing.assert_allclose(
        paddle.nn.functional.softmax(logits, axis=-1).numpy(), expected, atol=5e-3
    )


def test_gradients_reach_all_that_is_learnt_and_nothing_else(cut: Start) -> None:
    assert cut.front is not None
    net = cut.build()
    net.train()

    net(paddle.to_tensor(cut.front(draw_pixels()))).square().mean().backward()

    for name, parameter in net.named_parameters():
        is_frozen = name.endswith(("depthwise.conv.weight", "_mean", "_variance"))
        assert parameter.stop_gradient == is_frozen, name
        if not is_frozen:
            assert np.isfinite(parameter.grad.numpy()).all(), name
            assert np.abs(parameter.grad.numpy()).max() > 0 or name.endswith(".bias"), name


def test_swish_has_a_gradient_everywhere() -> None:
    x = paddle.to_tensor([-200.0, -45.0, 0.0, 45.0])
    x.stop_gradient = False

    swish(x).sum().backward()

    np.testing.assert_allclose(x.grad.numpy(), [0, 0, 0.5, 1], atol=1e-5)


def run(net: object, images: NDArray[np.float32]) -> NDArray[np.float32]:
    assert callable(net)
    with paddle.no_grad():
        answer: NDArray[np.float32] = net(paddle.to_tensor(images)).numpy()
    return answer


def normalised(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(probabilities / probabilities.sum(-1, keepdims=True))
