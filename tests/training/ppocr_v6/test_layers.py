"""The layers that both nets of PP-OCRv6 are made of."""

import numpy as np
import paddle
import pytest

from training.ppocr_v6.layers import FrozenDepthwise


@pytest.mark.parametrize("kernel", [3, 7])
def test_the_gradient_of_a_frozen_depthwise_convolution_is_the_true_one(kernel: int) -> None:
    paddle.seed(0)
    layer = FrozenDepthwise(16, kernel=kernel)
    pixels = np.random.default_rng(0).normal(size=(1, 16, 9, 8)).astype(np.float32)
    gradients = []
    for product in (layer, lambda x: layer.norm(layer.conv(x))):
        x = paddle.to_tensor(pixels)
        x.stop_gradient = False
        product(x).square().sum().backward()
        gradients.append(x.grad.numpy())

    ours, expected = gradients
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)
