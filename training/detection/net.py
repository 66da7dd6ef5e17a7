"""The compact detector: plain convolutions, one kernel map, exportable to every form.

The map is that of DB (Liao et al., AAAI 2020), without its threshold map: that did not help here.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import paddle
import paddle.nn.functional as F
from paddle import nn

from ocr.models.detector_spec import PageSpec
from training.detection.shapes import MapTarget
from training.detection.upsampling import Doubling, SmoothDoubling

CHANNELS = {"small": (24, 36, 48), "base": (48, 72, 96), "large": (64, 112, 160)}
"""Channels at 1/8, 1/16 and 1/32 of the input."""
PYRAMID_CHANNELS = {"small": 16, "base": 32, "large": 48}
BLOCKS = (1, 2, 2)
"""Residual blocks at each of these sizes."""
STEM_PX = 8
GREY = (0.114, 0.587, 0.299)
"""Weights of blue, green and red, those of cv2."""
FIRST_BIAS = -1.7
"""Makes 15 % of the map kernels at the start, about as many as there are."""

Tensor = Any  # paddle ships no types


@dataclass(frozen=True)
class DetectorNetSpec:
    """All that is needed to build the net again.

    Attributes:
        target: What the map is to show in training.
        input: What a page becomes before the net.
        size: Key of CHANNELS.
    """

    target: ClassVar[MapTarget] = MapTarget(map_px=2, shrink_ratio=0.6)

    input: PageSpec
    size: Literal["small", "base", "large"]


def build_detector_net(spec: DetectorNetSpec) -> nn.Layer:
    """Build the net of a spec, weights drawn from paddle's generator.

    Its input is ``x`` (N, 3, H, W), BGR, pixel / 127.5 - 1, H and W multiples of 32. In training
    it returns logits (N, 1, H / 2, W / 2), else probabilities (N, 1, H, W).
    """
    with paddle.utils.unique_name.guard():  # the same names in every process, for the optimizer
        return DetectorNet(channels=CHANNELS[spec.size], pyramid=PYRAMID_CHANNELS[spec.size])


class DetectorNet(nn.Layer):  # type: ignore[misc]
    """Pixel-unshuffle 8, residual stages at 1/8 to 1/32, a feature pyramid, pixel-shuffle 4."""

    def __init__(self, *, channels: tuple[int, int, int], pyramid: int) -> None:
        super().__init__()
        self.stem = ConvNormRelu(STEM_PX**2, channels[0])
        before = (None, *channels)
        self.stages = nn.LayerList(
            [
                _stage(narrower, wider, blocks)
                for narrower, wider, blocks in zip(before, channels, BLOCKS, strict=False)
            ]
        )
        self.laterals = nn.LayerList([ConvNorm(wide, pyramid, kernel=1) for wide in channels])
        self.smooth = ConvNormRelu(pyramid, pyramid)
        shuffled = (STEM_PX // DetectorNetSpec.target.map_px) ** 2
        bias = nn.initializer.Constant(FIRST_BIAS)
        self.head = nn.Conv2D(pyramid, shuffled, 1, bias_attr=paddle.ParamAttr(initializer=bias))
        # Fixed convolutions, as pixel_unshuffle cannot be exported with dynamic sizes.
        self._fix("grey", paddle.to_tensor(GREY).reshape([1, 3, 1, 1]))
        self._fix("unshuffle", paddle.eye(STEM_PX**2).reshape([-1, 1, STEM_PX, STEM_PX]))
        self.double_features = Doubling(pyramid)
        self.double_map = SmoothDoubling()

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (N, 1, H / 2, W / 2) in training, else probabilities (N, 1, H, W)."""
        logits = self.logits(x)
        return logits if self.training else self.double_map(sigmoid(logits))

    def logits(self, x: Tensor) -> Tensor:
        """Return the map that is learnt, (N, 1, H / 2, W / 2)."""
        x = F.conv2d(F.conv2d(x, self.grey), self.unshuffle, stride=STEM_PX)
        x = self.stem(x)
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        merged = self.laterals[-1](features[-1])
        for level in range(len(features) - 2, -1, -1):  # the exporter knows no strict zip
            finer = self.laterals[level](features[level])
            merged = F.relu(finer + self.double_features(merged))
        return F.pixel_shuffle(
            self.head(self.smooth(merged)), STEM_PX // DetectorNetSpec.target.map_px
        )

    def _fix(self, name: str, kernel: Tensor) -> None:
        self.register_buffer(name, kernel, persistable=False)


def _stage(narrower: int | None, wider: int, blocks: int) -> nn.Layer:
    """Halve, but at the first stage, and refine."""
    entry = [] if narrower is None else [ConvNormRelu(narrower, wider, stride=2)]
    return nn.Sequential(*entry, *[Residual(wider) for _ in range(blocks)])


def sigmoid(x: Tensor) -> Tensor:
    """Return the sigmoid, in a form that every export knows."""
    if paddle.framework.in_dynamic_or_pir_mode():
        return F.sigmoid(x)
    return paddle.reciprocal(1.0 + math.e**-x)  # Paddle 3.3.1's legacy export fails at sigmoid()


class ConvNorm(nn.Layer):  # type: ignore[misc]
    """Convolution and batch norm."""

    def __init__(
        self, channels_in: int, channels: int, *, kernel: int = 3, stride: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2D(channels_in, channels, kernel, stride, kernel // 2, bias_attr=False)
        self.norm = nn.BatchNorm2D(channels)

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H', W')."""
        return self.norm(self.conv(x))


class ConvNormRelu(ConvNorm):
    """Convolution, batch norm, ReLU."""

    def forward(self, x: Tensor) -> Tensor:
        """Return (N, channels, H', W')."""
        return F.relu(super().forward(x))


class Residual(nn.Layer):  # type: ignore[misc]
    """Two 3x3 convolutions beside the identity."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNormRelu(channels, channels)
        self.second = ConvNorm(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        """Return the shape of x."""
        return F.relu(x + self.second(self.first(x)))
