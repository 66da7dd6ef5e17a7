"""The layers that only the recogniser has: attention over the frames of a line."""

import paddle
import paddle.nn.functional as F
from paddle import nn

from training.loop.trainee import Tensor


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


def swish(x: Tensor) -> Tensor:
    """Return x * sigmoid(x); the gradient of Paddle's own is NaN below -44 on a CPU."""
    return x * F.sigmoid(x) if paddle.in_dynamic_mode() else F.silu(x)
