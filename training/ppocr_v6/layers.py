"""The layers of PP-OCRv6's small nets, as fast on a CPU as eager Paddle can be.

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
    """A depthwise convolution whose kernel is not learnt, then a batch norm."""

    def __init__(self, channels: int, *, kernel: int = 3, stride: Stride = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2D(
            channels, channels, kernel, stride, kernel // 2, groups=channels, bias_attr=False
        )
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

    def __init__(self, channels: int, *, slope: float = 0.16666670143604279) -> None:
        super().__init__()
        self.reduce = nn.Conv2D(channels, channels // 4, 1)
        self.expand = nn.Conv2D(channels // 4, channels, 1)
        self._slope = slope

    def forward(self, x: Tensor) -> Tensor:
        """Return the shape of x."""
        share = self.expand(F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1))))
        return x * F.hardsigmoid(share, slope=self._slope, offset=0.5)


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


def gelu(x: Tensor, *, approximate: bool) -> Tensor:
    """Return GELU; its approximation by tanh is three times as fast, and off by 0.001 at most."""
    if in_dynamic_or_pir_mode():
        return F.gelu(x, approximate)
    return x * (paddle.erf(x / math.sqrt(2)) + 1.0) * 0.5  # F.gelu fails in the legacy export


def multiply_pixels(x: Tensor, kernel: Tensor) -> Tensor:
    """Apply a kernel (C', C, 1, 1) to (N, C, H, W)."""
    count, _, height, width = x.shape
    product = paddle.matmul(kernel.flatten(1), x.flatten(2))
    return product.reshape([count, kernel.shape[0], height, width])


def multiply_rate(layer: Any, factor: float) -> None:
    """Let all that is learnt of a layer learn at a multiple of the learning rate."""
    for parameter in layer.parameters():
        parameter.optimize_attr["learning_rate"] = factor


class _DepthwiseProduct(PyLayer):  # type: ignore[misc]
    @staticmethod
    def forward(context: Any, x: Tensor, kernel: Tensor) -> Tensor:
        context.save_for_backward(kernel)
        return _convolve_depthwise(x, kernel)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        (kernel,) = context.saved_tensor()
        return _convolve_depthwise(gradient, kernel.flip([2, 3]))


def _convolve_depthwise(x: Tensor, kernel: Tensor) -> Tensor:
    return F.conv2d(x, kernel, None, 1, kernel.shape[-1] // 2, 1, x.shape[1])
