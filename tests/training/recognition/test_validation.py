"""Validation: every crop is read once, as it would be read alone."""

from typing import Any

import numpy as np
import pytest

from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from tests.training.recognition.toy_lines import draw_digits, random_texts
from training.recognition.samples import Line, collect_crops
from training.recognition.validation import read_crops

MASKED = LineSpec("line", 32, 320)
SEEN = LineSpec("line", 48, 64, frame_px=8, width_multiple_px=8, padding="seen")


class SeeingNet:
    """Gives each frame the mean of its columns times the mean of all, padding too."""

    def __init__(self, spec: LineSpec) -> None:
        self.spec = spec
        self.widths_px: list[int] = []

    def __call__(self, x: Any) -> Any:
        self.widths_px.append(x.shape[3])
        count, channels, _, width = x.shape
        frames = x.mean(2).reshape([count, channels, width // self.spec.frame_px, -1]).mean(3)
        return (frames * frames.mean([1, 2], keepdim=True)).transpose([0, 2, 1])


@pytest.mark.parametrize("spec", [MASKED, SEEN])
def test_each_crop_is_read_once(spec: LineSpec) -> None:
    net, crops = SeeingNet(spec), make_crops(spec)

    found = [
        index for batch, _ in read_crops(net, crops, indexes=EVERY, spec=spec) for index in batch
    ]

    assert sorted(found) == EVERY.tolist()
    assert all(width % spec.width_multiple_px == 0 for width in net.widths_px)


def test_a_net_that_sees_padding_reads_each_crop_as_alone() -> None:
    net, crops = SeeingNet(SEEN), make_crops(SEEN)

    for batch, together in read_crops(net, crops, indexes=EVERY, spec=SEEN):
        for row, index in enumerate(batch):
            one = np.array([index])
            ((_, alone),) = read_crops(net, crops, indexes=one, spec=SEEN)
            np.testing.assert_allclose(together[row].numpy(), alone[0].numpy(), atol=1e-6)


EVERY = np.arange(40)


def make_crops(spec: LineSpec) -> Any:
    rng = np.random.default_rng(0)
    texts = random_texts(len(EVERY), lengths=(3, 6), seed=0)
    lines = [Line(text, draw_digits(text, rng=rng)) for text in texts]
    return collect_crops(lines, split="val", charset=Charset(tuple("0123456789")), spec=spec)
