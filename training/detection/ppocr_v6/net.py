"""PP-OCRv6's small detector: LCNetV4, a feature pyramid of large kernels, and DB's map.

The same net, by its parameters' names, from the pixels on or from a later block on.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import paddle
import paddle.nn.functional as F
from paddle import nn

from ocr.models.detector_spec import PageSpec
from training.detection.net import sigmoid
from training.detection.shapes import MapTarget
from training.detection.upsampling import Doubling
from training.forms.exportable import Run
from training.loop.trainee import Tensor
from training.ppocr_v6.backbone import BlockShape, Stem, build_blocks, convolution_names
from training.ppocr_v6.layers import (
    ConvNorm,
    Excitation,
    FrozenDepthwise,
    multiply_pixels,
    multiply_rate,
)

STEM_CHANNELS = 48
PYRAMID_CHANNELS = 96
LARGE_KERNEL = 7
RATE = 3.0
"""Learning rate of all behind the backbone, as a multiple of the backbone's."""
BLOCKS = (
    BlockShape(48, excites=True),
    BlockShape(48),
    BlockShape(96, halves=True),
    BlockShape(96, excites=True),
    BlockShape(96),
    BlockShape(192, halves=True),
    BlockShape(192, excites=True),
    BlockShape(192),
    BlockShape(192, excites=True),
    BlockShape(192),
    BlockShape(384, halves=True),
    BlockShape(384, excites=True),
    BlockShape(384),
)
SEEN_AFTER = (12, 9, 4, 1)
"""The blocks whose outputs the pyramid takes, the coarsest first: at 1/32 to 1/4 of the input."""


@dataclass(frozen=True)
class PretrainedDetectorSpec:
    """All that is needed to build the net again.

    Attributes:
        target: What the map is to show in training.
        input: What a page becomes before the net.
        net: Tells it from other nets' in a checkpoint.
    """

    target: ClassVar[MapTarget] = MapTarget(map_px=1, shrink_ratio=0.5)

    input: PageSpec
    net: Literal["ppocr-v6-small"]


def build_pretrained_detector(*, first_block: int = 0, front: Run | None = None) -> Any:
    """Build the net, or the part of it that is learnt; its weights are to be set.

    Its input is ``x`` (N, 3, H, W), BGR, pixel / 127.5 - 1, H and W multiples of 32. In training
    it returns logits, else probabilities, (N, 1, H, W).

    Args:
        first_block: The net begins with this block, and in training takes what that block takes;
            0, or the one after the first that the pyramid sees.
        front: Computes that from pixels, so that out of training it takes pixels nevertheless.
    """
    with paddle.utils.unique_name.guard():  # the same names in every process, for the optimizer
        return PretrainedDetector(first_block=first_block, front=front)


def convolutions() -> list[str]:
    """Return the names of all convolutions, in the order of the ONNX graph."""
    names = convolution_names(BLOCKS)
    for level in range(len(SEEN_AFTER)):
        names += _weighted(f"pyramid.laterals.{level}")
    for level in range(len(SEEN_AFTER)):
        names += [f"pyramid.wide.{level}", *_weighted(f"pyramid.narrow.{level}")]
    return [*names, "head.enter", "head.enlarge", "head.map"]


def _weighted(name: str) -> list[str]:
    return [f"{name}.conv", f"{name}.excitation.reduce", f"{name}.excitation.expand"]


class PretrainedDetector(nn.Layer):  # type: ignore[misc]
    """Stem, 13 blocks, pyramid and head."""

    def __init__(self, *, first_block: int, front: Run | None) -> None:
        super().__init__()
        self._front = front
        self.stem = Stem(STEM_CHANNELS) if first_block == 0 else None
        self.blocks = build_blocks(BLOCKS, channels=STEM_CHANNELS, halving=2, first=first_block)
        self.pyramid = Pyramid([BLOCKS[block].channels for block in SEEN_AFTER])
        self.head = Head(PYRAMID_CHANNELS)
        for layer in (self.pyramid, self.head):
            multiply_rate(layer, RATE)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (N, 1, H, W) in training, probabilities otherwise."""
        logits = self.logits(x)
        return logits if self.training else sigmoid(logits)

    def logits(self, x: Tensor) -> Tensor:
        """Return the map that is learnt, (N, 1, H, W)."""
        if self.stem is not None:
            x = self.stem(x)
        elif self._front is not None and not self.training:
            x = paddle.to_tensor(self._front(x.numpy()))
        features = [] if self.stem is not None else [x]
        for number, block in self.blocks.items():
            x = block(x)
            if int(number) in SEEN_AFTER:
                features.append(x)
        return self.head(self.pyramid(features[::-1]))


class Weighted(nn.Layer):  # type: ignore[misc]
    """A 1x1 convolution, and its channels weighted beside themselves."""

    def __init__(self, channels_in: int, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2D(channels_in, channels, 1, bias_attr=False)
        self.excitation = Excitation(channels, slope=0.2)

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H, W)."""
        is_eager = paddle.in_dynamic_mode()
        x = multiply_pixels(x, self.conv.weight) if is_eager else self.conv(x)
        return x + self.excitation(x)


class Pyramid(nn.Layer):  # type: ignore[misc]
    """From coarse to fine, each level widened by a large kernel; all at the size of the finest."""

    def __init__(self, channels_in: list[int]) -> None:
        super().__init__()
        wide, narrow = PYRAMID_CHANNELS, PYRAMID_CHANNELS // len(channels_in)
        self.laterals = nn.LayerList([Weighted(channels, wide) for channels in channels_in])
        self.wide = nn.LayerList([FrozenDepthwise(wide, kernel=LARGE_KERNEL) for _ in channels_in])
        self.narrow = nn.LayerList([Weighted(wide, narrow) for _ in channels_in])
        self.double_wide = Doubling(wide)
        self.double_narrow = Doubling(narrow)

    def forward(self, features: list[Tensor]) -> Tensor:
        """Turn features at 1/32, 1/16, 1/8 and 1/4 into (N, PYRAMID_CHANNELS, H / 4, W / 4)."""
        merged = None
        levels: list[Tensor] = []
        for level in range(len(self.laterals)):
            x = self.laterals[level](features[level])
            merged = x if merged is None else x + self.double_wide(merged)
            levels.append(self.narrow[level](self.wide[level](merged)))
        for level in range(len(self.laterals)):
            for _ in range(len(self.laterals) - 1 - level):
                levels[level] = self.double_narrow(levels[level])
        return paddle.concat(levels, axis=1)


class Head(nn.Layer):  # type: ignore[misc]
    """A 3x3 convolution, and two transposed ones that give the map at the size of the input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        narrow = channels // 4
        self.enter = ConvNorm(channels, narrow, kernel=3, padding=1)
        self.enlarge = nn.Conv2DTranspose(narrow, narrow, 2, 2)
        self.map = nn.Conv2DTranspose(narrow, 1, 2, 2)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (N, 1, 4 * H, 4 * W)."""
        return self.map(F.relu(self.enlarge(F.relu(self.enter(x)))))
