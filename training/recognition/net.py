"""The compact CTC recogniser: plain convolutions, no recurrence, exportable to every form."""

from dataclasses import dataclass
from typing import Any, Literal

import paddle
import paddle.nn.functional as F
from paddle import nn

from ocr.models.recogniser_spec import LineSpec

WIDTHS = {"small": (8, 16, 32, 64), "base": (16, 32, 64, 96), "large": (24, 48, 96, 160)}
"""Channels after each of the four strides. Narrow early layers keep tall inputs cheap."""

Tensor = Any  # paddle ships no types


@dataclass(frozen=True)
class RecogniserNetSpec:
    """All that is needed to build the net again.

    Attributes:
        input: What the image of a line becomes before the net.
        size: Key of WIDTHS.
        gray: Whether the net looks away from colour.
        charset: The characters of classes 1 and up; class 0 is the blank.
    """

    input: LineSpec
    size: Literal["small", "base", "large"]
    gray: bool
    charset: tuple[str, ...]


def build_recogniser_net(spec: RecogniserNetSpec) -> nn.Layer:
    """Build the net of a spec, weights drawn from paddle's generator.

    Its input is ``x`` (N, 3, H, W), BGR, pixel / 127.5 - 1, W a multiple of 4, padded on the
    right with exactly 0.0 (layout ``line``). In training it returns logits (N, W / 4, C), else
    probabilities; class 0 is the blank, the others follow the charset.
    """
    with paddle.utils.unique_name.guard():  # the same names in every process, for the optimizer
        return RecogniserNet(
            classes=len(spec.charset) + 1,
            widths=WIDTHS[spec.size],
            height_px=spec.input.height_px,
            gray=spec.gray,
            padded=spec.input.layout == "line",
        )


class RecogniserNet(nn.Layer):  # type: ignore[misc]
    """Stem and residual stages at 1/4 width, height collapsed, residual dilated 1x5 neck, CTC.

    Padded columns are zeroed after every convolution, so that what a line reads does not depend
    on the lines it shares a batch with; frames in the padding are blank.
    """

    def __init__(
        self, *, classes: int, widths: tuple[int, ...], height_px: int, gray: bool, padded: bool
    ) -> None:
        super().__init__()
        a, b, c, d = widths
        self.gray = gray
        self.padded = padded
        self.stem = nn.LayerList([ConvNormRelu(1 if gray else 3, a, stride=2), ConvNormRelu(a, a)])
        self.body = nn.LayerList(
            [
                ConvNormRelu(a, b, stride=2),
                Residual(b),
                ConvNormRelu(b, c, stride=[2, 1]),
                Residual(c),
                ConvNormRelu(c, d, stride=[2, 1]),
                Residual(d),
                ConvNormRelu(d, d, kernel=[-(-height_px // 16), 1], padding=0),
                ResidualNeck(d, dilation=1),
                ResidualNeck(d, dilation=2),
                ResidualNeck(d, dilation=1),
            ]
        )
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(d, classes)
        blank = F.one_hot(paddle.zeros([1, 1], dtype="int64"), classes)
        self.register_buffer("blank", blank, persistable=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (N, W / 4, C) in training, probabilities otherwise."""
        # A pixel is never exactly 0.0 (127.5 is no byte), so one row of one channel tells.
        mask = (x[:, :1, :1, :] != 0).astype(x.dtype) if self.padded else None
        x = normalise((x + 1.0) * 127.5, mask, gray=self.gray)
        half = None if mask is None else mask[:, :, :, ::2]
        quarter = None if half is None else half[:, :, :, ::2]
        for layer in self.stem:
            x = layer(x, half)
        for layer in self.body:
            x = layer(x, quarter)
        logits = self.head(self.dropout(x.squeeze(2).transpose([0, 2, 1])))
        if self.training:
            return logits
        probabilities = F.softmax(logits, axis=-1)
        if quarter is None:
            return probabilities
        valid = quarter.squeeze(1).transpose([0, 2, 1])
        return probabilities * valid + self.blank * (1.0 - valid)


def normalise(pixels: Tensor, mask: Tensor | None, *, gray: bool) -> Tensor:
    """Return (v - mean) / (std + 8) per image over its valid columns, padding 0.

    Args:
        pixels: (N, 3, H, W), 0..255.
        mask: (N, 1, 1, W), 1 where a column is valid; None: all are.
        gray: Average the channels first.
    """
    if gray:
        pixels = pixels.mean(1, keepdim=True)
    if mask is None:
        centred = pixels - pixels.mean([1, 2, 3], keepdim=True)
        return centred / ((centred * centred).mean([1, 2, 3], keepdim=True) ** 0.5 + 8.0)
    share = mask.mean([1, 2, 3], keepdim=True).clip(min=1e-6)
    mean = masked(pixels, mask).mean([1, 2, 3], keepdim=True) / share
    centred = masked(pixels - mean, mask)
    variance = (centred * centred).mean([1, 2, 3], keepdim=True) / share
    return centred / (variance**0.5 + 8.0)  # sqrt() fails in Paddle 3.3.1's legacy export


class ConvNormRelu(nn.Layer):  # type: ignore[misc]
    """Convolution, batch norm, ReLU, padding zeroed."""

    def __init__(
        self,
        channels_in: int,
        channels: int,
        *,
        kernel: int | list[int] = 3,
        stride: int | list[int] = 1,
        padding: int | list[int] = 1,
        dilation: int | list[int] = 1,
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2D(
            channels_in, channels, kernel, stride, padding, dilation, bias_attr=False
        )
        self.norm = nn.BatchNorm2D(channels)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Return (N, channels, H', W')."""
        return masked(F.relu(self.norm(self.conv(x))), mask)


class Residual(nn.Layer):  # type: ignore[misc]
    """Two 3x3 convolutions beside the identity."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNormRelu(channels, channels)
        self.conv = nn.Conv2D(channels, channels, 3, 1, 1, bias_attr=False)
        self.norm = nn.BatchNorm2D(channels)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Return the shape of x."""
        return masked(F.relu(x + self.norm(self.conv(self.first(x, mask)))), mask)


class ResidualNeck(nn.Layer):  # type: ignore[misc]
    """One 1x5 convolution beside the identity: context along the line."""

    def __init__(self, channels: int, *, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv2D(
            channels, channels, [1, 5], 1, [0, 2 * dilation], [1, dilation], bias_attr=False
        )
        self.norm = nn.BatchNorm2D(channels)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Return the shape of x."""
        return masked(F.relu(x + self.norm(self.conv(x))), mask)


def masked(x: Tensor, mask: Tensor | None) -> Tensor:
    """Zero the padded columns."""
    if mask is None:
        return x
    # Eager Paddle's broadcasting multiplication takes 20 times longer on a CPU than an expanded
    # one; the exporter, on the other hand, turns an expanded size into a constant. A float32 mask
    # would make every activation float32.
    return x * (mask.astype(x.dtype).expand_as(x) if paddle.in_dynamic_mode() else mask)
