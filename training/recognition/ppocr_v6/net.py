"""PP-OCRv6's small recogniser: LCNetV4, a light neck with attention, and a CTC head.

The same net, by its parameters' names, from the pixels on or from a later block on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

from ocr.models.recogniser_spec import LineSpec
from training.forms.exportable import Run
from training.loop.trainee import Tensor
from training.ppocr_v6.backbone import BlockShape, Stem, build_blocks
from training.ppocr_v6.layers import ConvNorm, multiply_rate
from training.recognition.ppocr_v6.attention import AttentionLayer, swish

FRAME_PX = 8
STEM_WIDTH = 96
NECK_WIDTH = 120
NECK_RATE, HEAD_RATE = 1.5, 4.0
"""Their learning rates, as multiples of the backbone's."""


BLOCKS = (
    BlockShape(96, excites=True),
    BlockShape(96),
    BlockShape(96),
    BlockShape(192, halves=True),
    BlockShape(192, excites=True),
    BlockShape(192),
    BlockShape(192, excites=True),
    BlockShape(192),
    BlockShape(192, excites=True),
    BlockShape(192),
    BlockShape(384, halves=True),
    BlockShape(384, excites=True),
    BlockShape(384),
)


@dataclass(frozen=True)
class PretrainedNetSpec:
    """All that is needed to build the net again.

    Attributes:
        input: What the image of a line becomes before the net.
        charset: The characters of classes 1 and up; class 0 is the blank.
        columns: The class of each column of the head; a class may have several.
    """

    input: LineSpec
    charset: tuple[str, ...]
    columns: tuple[int, ...]


def build_pretrained_net(
    spec: PretrainedNetSpec, *, first_block: int = 0, front: Run | None = None
) -> Any:
    """Build the net of a spec, or the part of it that is learnt; its weights are to be set.

    Its input is ``x`` (N, 3, 48, W), BGR, pixel / 127.5 - 1, W a multiple of 8. In training it
    returns logits (N, W / 8, C), else probabilities; class 0 is the blank, the others follow the
    charset.

    Args:
        spec: Its head.
        first_block: The net begins with this block, and in training takes what that block takes.
        front: Computes that from pixels, so that out of training it takes pixels nevertheless.
    """
    with paddle.utils.unique_name.guard():  # the same names in every process, for the optimizer
        return PretrainedNet(spec, first_block=first_block, front=front)


class PretrainedNet(nn.Layer):  # type: ignore[misc]
    """Stem, 13 blocks, neck and head."""

    def __init__(self, spec: PretrainedNetSpec, *, first_block: int, front: Run | None) -> None:
        super().__init__()
        self._front = front
        self.stem = Stem(STEM_WIDTH) if first_block == 0 else None
        self.blocks = build_blocks(BLOCKS, channels=STEM_WIDTH, halving=[2, 1], first=first_block)
        self.neck = Neck(BLOCKS[-1].channels, NECK_WIDTH)
        self.head = Head(NECK_WIDTH, spec.columns)
        multiply_rate(self.neck, NECK_RATE)
        multiply_rate(self.head, HEAD_RATE)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (N, W / 8, C) in training, probabilities otherwise."""
        if self.stem is not None:
            x = self.stem(x)
        elif self._front is not None and not self.training:
            x = paddle.to_tensor(self._front(x.numpy()))
        for block in self.blocks.values():
            x = block(x)
        return self.head(self.neck(x))


class Neck(nn.Layer):  # type: ignore[misc]
    """Height collapsed, then context along the line: a 1x7 convolution and attention."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.short = ConvNorm(channels, width, kernel=1)
        self.enter = ConvNorm(channels, width, kernel=1)
        self.along = ConvNorm(width, width, kernel=[1, 7], padding=[0, 3], groups=width)
        self.layers = nn.LayerList([AttentionLayer(width), AttentionLayer(width)])
        self.norm = nn.LayerNorm(width, epsilon=1e-6)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (N, channels, 3, 2 * T) into (N, T, width)."""
        x = F.avg_pool2d(x, [3, 2], [3, 2])
        short = swish(self.short(x))
        x = swish(self.enter(x))
        x = _to_frames(x + swish(self.along(x)))
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) + _to_frames(short)


class Head(nn.Layer):  # type: ignore[misc]
    """A linear layer; the probability of a class is the sum of its columns'."""

    def __init__(self, width: int, columns: tuple[int, ...]) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(columns))
        classes = np.asarray(columns)
        self._is_plain = np.array_equal(classes, np.arange(len(columns)))
        if not self._is_plain:
            places, absent = _group(classes)
            shares = np.eye(classes.max() + 1, dtype=np.float32)[classes]
            for name, value in (("places", places), ("absent", absent), ("shares", shares)):
                self.register_buffer(name, paddle.to_tensor(value), persistable=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (N, T, C) in training, probabilities otherwise."""
        logits = self.linear(x)
        if not self.training:
            probabilities = F.softmax(logits, axis=-1)
            return probabilities if self._is_plain else paddle.mm(probabilities, self.shares)
        if self._is_plain:
            return logits
        count, frames, _ = logits.shape
        grouped = paddle.index_select(logits, self.places.flatten(), axis=2)
        grouped = grouped.reshape([count, frames, *self.places.shape]) + self.absent
        return paddle.logsumexp(grouped, axis=-1)


def _group(classes: Any) -> tuple[Any, Any]:
    """Return the columns of each class (C, most), and -1e4 where a class has no more."""
    members = [np.flatnonzero(classes == each) for each in range(classes.max() + 1)]
    most = max(len(columns) for columns in members)
    places = np.array([np.resize(columns, most) for columns in members])
    counts = np.array([len(columns) for columns in members])
    absent = np.where(np.arange(most) < counts[:, None], 0, -1e4).astype(np.float32)
    return places, absent


def _to_frames(x: Tensor) -> Tensor:
    return x.squeeze(2).transpose([0, 2, 1])
