"""The layers of PP-OCRv6's small recogniser, as fast on a CPU as eager Paddle can be.

A 1x1 convolution is a matrix product, a bias a frozen batch norm (Paddle's broadcasting addition
takes ten times as long), and the gradient of a frozen depthwise convolution one more convolution.
"""

import math
from typing import Any

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.autograd import PyLayer
from paddle.framework import in_dynamic_or_pir_mode

from training.loop.trainee import Tensor

Stride = int | list[int]


class FrozenNorm(nn.BatchNorm2D):  # type: ignore[misc]
    """A batch norm whose statistics stay as they are; scale and bias are learnt."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the shape of x."""
        return F.batch_norm(
            x, self._mean, self._variance, self.weight, self.bias, epsilon=self._epsilon
        )


class ConvNorm(nn.Layer):  # type: ignore[misc]
    """A convolution and a batch norm."""

    def __init__(
        self,
        channels_in: int,
        channels: int,
        *,
        kernel: int | list[int],
        stride: Stride = 1,
        padding: int | str | list[int] = 0,
        groups: int = 1,
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2D(
            channels_in, channels, kernel, stride, padding, groups=groups, bias_attr=False
        )
        self.norm = FrozenNorm(channels)
        self._is_pointwise = kernel == 1

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H', W')."""
        if self._is_pointwise and paddle.in_dynamic_mode():
            return self.norm(multiply_pixels(x, self.conv.weight))
        return self.norm(self.conv(x))


class FrozenDepthwise(nn.Layer):  # type: ignore[misc]
    """A 3x3 depthwise convolution whose kernel is not learnt, then a batch norm."""

    def __init__(self, channels: int, *, stride: Stride) -> None:
        super().__init__()
        self.conv = nn.Conv2D(channels, channels, 3, stride, 1, groups=channels, bias_attr=False)
        self.conv.weight.stop_gradient = True
        self.norm = FrozenNorm(channels)
        self._keeps_size = stride == 1

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H', W')."""
        if self._keeps_size and not x.stop_gradient and paddle.in_dynamic_mode():
            return self.norm(_DepthwiseProduct.apply(x, self.conv.weight))
        return self.norm(self.conv(x))


class Excitation(nn.Layer):  # type: ignore[misc]
    """Channels weighted by what the whole image holds (squeeze and excitation)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2D(channels, channels // 4, 1)
        self.expand = nn.Conv2D(channels // 4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the shape of x."""
        share = self.expand(F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1))))
        return x * F.hardsigmoid(share, slope=0.16666670143604279, offset=0.5)


class Block(nn.Layer):  # type: ignore[misc]
    """Depthwise convolution, perhaps excitation, and two 1x1 convolutions around a GELU."""

    def __init__(self, channels_in: int, channels: int, *, excites: bool, stride: Stride) -> None:
        super().__init__()
        self.depthwise = FrozenDepthwise(channels_in, stride=stride)
        self.excitation = Excitation(channels_in) if excites else None
        self.widen = ConvNorm(channels_in, 2 * channels_in, kernel=1)
        self.narrow = ConvNorm(2 * channels_in, channels, kernel=1)
        self._is_residual = stride == 1

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H', W')."""
        x = self.depthwise(x)
        if self.excitation is not None:
            x = self.excitation(x)
        y = self.narrow(gelu(self.widen(x), approximate=self.training))
        return x + y if self._is_residual else y


class AttentionLayer(nn.Layer):  # type: ignore[misc]
    """Attention over all frames of a line, then two linear layers, each beside the identity."""

    HEADS = 8

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.second_norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)
        self._width = width

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, T, width)."""
        x = x + self._attend(self.norm(x))
        return x + self.narrow(swish(self.widen(self.second_norm(x))))

    def _attend(self, x: Tensor) -> Tensor:
        each = self._width // self.HEADS
        mixed = self.mix(x).reshape([0, -1, 3, self.HEADS, each]).transpose([2, 0, 3, 1, 4])
        query, key, value = mixed[0], mixed[1], mixed[2]
        # mm(), as matmul() fails in the legacy export.
        shares = F.softmax(paddle.mm(query * each**-0.5, key.transpose([0, 1, 3, 2])), axis=-1)
        seen = paddle.mm(shares, value).transpose([0, 2, 1, 3])
        return self.project(seen.reshape([0, -1, self._width]))


def gelu(x: Tensor, *, approximate: bool) -> Tensor:
    """Return GELU; its approximation by tanh is three times as fast, and off by 0.001 at most."""
    if in_dynamic_or_pir_mode():
        return F.gelu(x, approximate)
    return x * (paddle.erf(x / math.sqrt(2)) + 1.0) * 0.5  # F.gelu fails in the legacy export


def swish(x: Tensor) -> Tensor:
    """Return x * sigmoid(x); the gradient of Paddle's own is NaN below -44 on a CPU."""
    return x * F.sigmoid(x) if paddle.in_dynamic_mode() else F.silu(x)


def multiply_pixels(x: Tensor, kernel: Tensor) -> Tensor:
    """Apply a kernel (C', C, 1, 1) to (N, C, H, W)."""
    count, _, height, width = x.shape
    product = paddle.matmul(kernel.flatten(1), x.flatten(2))
    return product.reshape([count, kernel.shape[0], height, width])


class _DepthwiseProduct(PyLayer):  # type: ignore[misc]
    @staticmethod
    def forward(context: Any, x: Tensor, kernel: Tensor) -> Tensor:
        context.save_for_backward(kernel)
        return F.conv2d(x, kernel, None, 1, 1, 1, x.shape[1])

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        (kernel,) = context.saved_tensor()
        return F.conv2d(gradient, kernel.flip([2, 3]), None, 1, 1, 1, gradient.shape[1])
