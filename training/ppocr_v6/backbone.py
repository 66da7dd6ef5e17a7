"""LCNetV4, which both small nets of PP-OCRv6 begin with: a stem and blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import paddle
import paddle.nn.functional as F
from paddle import nn

from training.loop.trainee import Tensor
from training.ppocr_v6.layers import Block, ConvNorm, Stride


@dataclass(frozen=True)
class BlockShape:
    """What one block differs in.

    Attributes:
        channels: Of its output.
        excites: Whether channels are weighted.
        halves: Whether it halves the size.
    """

    channels: int
    excites: bool = False
    halves: bool = False


class Stem(nn.Layer):  # type: ignore[misc]
    """Five convolutions, to a quarter of the size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.first = ConvNorm(3, half, kernel=3, stride=2, padding=1)
        self.second = ConvNorm(half, half // 2, kernel=2, padding="SAME")
        self.third = ConvNorm(half // 2, half, kernel=2, padding="SAME")
        self.fourth = ConvNorm(channels, half, kernel=3, stride=2, padding=1)
        self.fifth = ConvNorm(half, channels, kernel=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H / 4, W / 4)."""
        x = F.relu(self.first(x))
        y = F.relu(self.third(F.relu(self.second(x))))
        x = F.max_pool2d(x, 2, 1, padding="SAME")
        return F.relu(self.fifth(F.relu(self.fourth(paddle.concat([x, y], axis=1)))))


def build_blocks(
    shapes: Sequence[BlockShape], *, channels: int, halving: Stride, first: int
) -> Any:
    """Build the blocks from a first one on, under their numbers.

    Args:
        shapes: Of all blocks.
        channels: Of the stem's output.
        halving: Stride of the blocks that halve.
        first: Number of the first one that is built.
    """
    entering = [channels, *(shape.channels for shape in shapes)]
    return nn.LayerDict(
        {
            str(number): Block(
                entering[number],
                shape.channels,
                excites=shape.excites,
                stride=halving if shape.halves else 1,
            )
            for number, shape in enumerate(shapes)
            if number >= first
        }
    )


def convolution_names(shapes: Sequence[BlockShape]) -> list[str]:
    """Return the names of the convolutions of stem and blocks, in the order of the ONNX graph."""
    names = [f"stem.{number}" for number in ("first", "second", "third", "fourth", "fifth")]
    for number, shape in enumerate(shapes):
        parts = ["depthwise", "widen", "narrow"]
        if shape.excites:
            parts[1:1] = ["excitation.reduce", "excitation.expand"]
        names += [f"blocks.{number}.{part}" for part in parts]
    return names
