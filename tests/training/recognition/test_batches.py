"""Batches: pure functions of the step, in the form the net takes."""

import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from tests.training.recognition.toy_lines import draw_digits, random_texts
from training.recognition.batches import CropBatchMaker, collate
from training.recognition.plan import make_plan
from training.recognition.samples import Line, collect_crops
from training.recognition.source import LabelledCrop, PlainSource


def make_maker(spec: LineSpec, *, augmentation: float = 0.75) -> CropBatchMaker:
    rng = np.random.default_rng(0)
    texts = random_texts(40, lengths=(3, 6), seed=0)
    lines = [Line(text, draw_digits(text, rng=rng)) for text in texts]
    crops = collect_crops(lines, split="train", charset=Charset(tuple("0123456789")), spec=spec)
    source = PlainSource(crops, proportional=False)
    return CropBatchMaker(
        plan=make_plan(crops, spec=spec, batch_size=4, ranks=1, seed=0),
        source=source, fallback=source, spec=spec, augmentation=augmentation, seed=0, rank=0,
    )  # fmt: skip


@pytest.mark.parametrize("spec", [LineSpec("fixed", 32, 128), LineSpec("line", 32, 320)])
def test_a_batch_is_the_same_whenever_it_is_made(spec: LineSpec) -> None:
    first, later = make_maker(spec), make_maker(spec)

    for step in range(4):
        first.make(step)

    np.testing.assert_array_equal(first.make(7).images, later.make(7).images)
    np.testing.assert_array_equal(first.make(7).guide_frames, later.make(7).guide_frames)


def test_the_guide_names_the_frame_under_each_centre() -> None:
    crops = [
        LabelledCrop(blank(64), np.array([1, 2], np.int32), np.array([[5.0, 8], [200.0, 8]])),
        LabelledCrop(blank(30), np.array([3], np.int32), np.array([[13.0, 8]])),
    ]

    batch = collate(crops, LineSpec("line", 32, 320))

    assert batch.images.shape == (2, 3, 32, 64)
    assert batch.frame_lengths.tolist() == [16, 8]
    assert batch.guide_frames.tolist() == [1, 15, 16 + 3]  # beyond the edge: the last frame
    assert batch.guide_labels.tolist() == [1, 2, 3]


def blank(width_px: int) -> Image:
    return np.zeros((32, width_px, 3), np.uint8)
