"""Upsampling that every form of a net knows, by convolutions with fixed weights.

Paddle's own interpolation, nearest or linear, runs in neither oneDNN nor paddle2onnx.
"""

from typing import Any

import paddle
import paddle.nn.functional as F
from paddle import nn

Tensor = Any  # paddle ships no types


class Doubling(nn.Layer):  # type: ignore[misc]
    """Every pixel repeated four times."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        eye = paddle.repeat_interleave(paddle.eye(channels), 4, axis=0)
        kernel = eye.reshape([4 * channels, channels, 1, 1])
        self.register_buffer("kernel", kernel, persistable=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, 2 * H, 2 * W)."""
        return F.pixel_shuffle(F.conv2d(x, self.kernel), 2)


class SmoothDoubling(nn.Layer):  # type: ignore[misc]
    """Linear between the centres of pixels, the edge repeated: as cv2's INTER_LINEAR doubles.

    A transposed convolution has no form in 8 bits.
    """

    def __init__(self) -> None:
        super().__init__()
        shares = paddle.to_tensor([0.25, 0.75, 0.75, 0.25])
        self.register_buffer("kernel", paddle.outer(shares, shares)[None, None], persistable=False)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (N, 1, H, W) into (N, 1, 2 * H, 2 * W)."""
        around = F.pad(x, [1, 1, 1, 1], mode="replicate")
        return F.conv2d_transpose(around, self.kernel, stride=2, padding=3)
