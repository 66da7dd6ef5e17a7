import numpy as np

from tests.training.recognition.composition.drawing import draw_counters, random_numbers
from training.recognition.composition.alignment import align_crops, stretch_to_median


def test_aligned_crops_look_alike() -> None:
    crops = draw_counters(random_numbers(24))

    alignment = align_crops(crops.images, np.stack(crops.rough_px))

    assert np.median(alignment.correlations) > 0.75
    assert alignment.rectified.shape == crops.images.shape[:3]


def test_inverted_crops_are_told_from_the_others() -> None:
    light = draw_counters(random_numbers(20))
    both = light + draw_counters(random_numbers(20), seed=1, is_dark_on_light=True)

    alignment = align_crops(both.images, np.stack(both.rough_px))

    assert alignment.polarities.tolist() == [1] * 20 + [-1] * 20


def test_centres_alone_give_shift_and_stretch() -> None:
    even = np.array([10.0, 20, 30, 40])

    warps = stretch_to_median(np.stack([even, even * 1.2 + 3, even]))

    mapped = warps[1] @ np.stack([even, np.zeros(4), np.ones(4)])
    assert np.allclose(mapped[0], even * 1.2 + 3, atol=1e-3)
    assert np.allclose(warps[0], np.eye(3), atol=1e-5)
