"""The net: its shapes, and that padding never changes an answer."""

from typing import Any, Literal

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray

from ocr.models.recogniser_spec import LineSpec
from training.recognition.net import RecogniserNetSpec, build_recogniser_net


def build(layout: Literal["fixed", "line"], *, height_px: int = 32, gray: bool = False) -> Any:
    paddle.seed(0)
    spec = RecogniserNetSpec(LineSpec(layout, height_px, 128), "small", gray, tuple("0123"))
    return build_recogniser_net(spec)


def draw_pixels(width_px: int, *, height_px: int = 32) -> NDArray[np.float32]:
    pixels = np.random.default_rng(0).integers(0, 256, (2, 3, height_px, width_px))
    return (pixels / 127.5 - 1).astype(np.float32)


def pad(images: NDArray[np.float32], width_px: int) -> NDArray[np.float32]:
    missing = width_px - images.shape[3]
    return np.pad(images, ((0, 0), (0, 0), (0, 0), (0, missing)))


def run(net: Any, images: NDArray[np.float32]) -> NDArray[np.float32]:
    with paddle.no_grad():
        answer: NDArray[np.float32] = net(paddle.to_tensor(images)).numpy()
    return answer


@pytest.mark.parametrize("height_px", [16, 24, 32, 40, 48, 96])
@pytest.mark.parametrize("gray", [False, True])
def test_a_frame_covers_four_columns(height_px: int, gray: bool) -> None:
    net = build("fixed", height_px=height_px, gray=gray)
    net.eval()

    probabilities = run(net, draw_pixels(64, height_px=height_px))

    assert probabilities.shape == (2, 16, 5)
    np.testing.assert_allclose(probabilities.sum(-1), 1.0, rtol=1e-5)


@pytest.mark.parametrize("width_px", [1, 30, 61, 64, 127])
def test_padding_changes_no_answer(width_px: int) -> None:
    net = build("line")
    net.eval()
    images = draw_pixels(width_px)

    little = run(net, pad(images, 128))
    much = run(net, pad(images, 320))

    np.testing.assert_allclose(much[:, :32], little, atol=1e-5)


def test_frames_in_the_padding_are_blank() -> None:
    net = build("line")
    net.eval()

    probabilities = run(net, pad(draw_pixels(61), 128))

    assert (probabilities[:, 16:, 0] == 1).all()
    assert (probabilities[:, :16, 0] < 1).all()


def test_brightness_and_contrast_matter_little() -> None:
    net = build("fixed")
    net.eval()
    pixels = draw_pixels(64)

    dark = run(net, pixels * 0.8 - 0.1)

    np.testing.assert_allclose(dark, run(net, pixels), atol=0.02)


def test_the_same_seed_gives_the_same_weights() -> None:
    first, second = build("line").state_dict(), build("line").state_dict()

    assert all(np.array_equal(first[name].numpy(), second[name].numpy()) for name in first)
