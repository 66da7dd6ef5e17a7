"""Batches: pure functions of the step, in the form the net takes, centres moved along."""

import cv2
import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from tests.training.toy_job import draw_digits, random_texts
from training.recognition.augment import augment_crop
from training.recognition.batches import CropBatchMaker, collate
from training.recognition.plan import make_plan
from training.recognition.samples import collect_crops
from training.recognition.source import LabelledCrop, PlainSource, expected_centres


def make_maker(spec: LineSpec, *, augmentation: float = 0.75) -> CropBatchMaker:
    rng = np.random.default_rng(0)
    texts = random_texts(40, lengths=(3, 6), seed=0)
    pairs = [(text, draw_digits(text, rng=rng)) for text in texts]
    crops = collect_crops(pairs, split="train", charset=Charset(tuple("0123456789")), spec=spec)
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

    batch = collate(crops)

    assert batch.images.shape == (2, 3, 32, 64)
    assert batch.frame_lengths.tolist() == [16, 8]
    assert batch.guide_frames.tolist() == [1, 15, 16 + 3]  # beyond the edge: the last frame
    assert batch.guide_labels.tolist() == [1, 2, 3]


@pytest.mark.parametrize("keep_height", [False, True])
def test_centres_move_with_the_pixels(keep_height: bool) -> None:
    image = blank(120, 40)
    cv2.circle(image, (80, 20), 4, (255, 255, 255), -1)
    errors = []

    for seed in range(20):
        moved, centres = augment_crop(
            image, np.array([[80.0, 20.0]]), width_px=128, height_px=32, strength=0.3,
            keep_height=keep_height, rng=np.random.default_rng(seed),
        )  # fmt: skip
        rows, columns = np.nonzero(cv2.GaussianBlur(moved[:, :, 0], (0, 0), 2) > 60)
        if len(rows):
            errors.append(np.abs([columns.mean(), rows.mean()] - centres[0]).max())

    assert np.median(errors) < 1.5


def test_no_augmentation_is_what_serving_does() -> None:
    image = draw_digits("123", rng=np.random.default_rng(0))

    plain, centres = augment_crop(
        image, np.array([[0.0, 0.0]]), width_px=96, height_px=40, strength=0,
        keep_height=False, rng=np.random.default_rng(0),
    )  # fmt: skip

    np.testing.assert_array_equal(plain, cv2.resize(image, (96, 40)))
    assert centres[0] == pytest.approx([0.5, 0.5])


def test_expected_centres_are_even_or_follow_the_widths_of_letters() -> None:
    even = expected_centres("WiW", proportional=False)
    rough = expected_centres("WiW", proportional=True)

    np.testing.assert_allclose(even, [1 / 6, 1 / 2, 5 / 6])
    assert rough[1] == pytest.approx(0.5)
    assert rough[0] > even[0]


def blank(width_px: int, height_px: int = 32) -> Image:
    return np.zeros((height_px, width_px, 3), np.uint8)
