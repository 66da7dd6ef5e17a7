import numpy as np

from tests.training.recognition.composition.drawing import draw_counters, random_numbers
from training.recognition.composition.alignment import align_crops, frame_size, stretch_to_median


def test_aligned_crops_look_alike() -> None:
    crops = draw_counters(random_numbers(24))

    alignment = align_crops(crops.images, crops.rough_px)

    assert np.median(alignment.correlations) > 0.75
    assert (alignment.height_px, alignment.width_px) == alignment.mean.shape


def test_inverted_crops_are_told_from_the_others() -> None:
    light, dark = (
        draw_counters(random_numbers(20), seed=seed, is_dark_on_light=bool(seed)) for seed in (0, 1)
    )

    alignment = align_crops(light.images + dark.images, light.rough_px + dark.rough_px)

    signs = alignment.polarities * alignment.polarities[0]
    assert signs.tolist() == [1] * 20 + [-1] * 20


def test_frames_have_the_crops_aspect_and_long_ones_fewer_rows() -> None:
    lines = [np.zeros((20, 900, 3), np.uint8)] * 3

    assert frame_size(lines) == (1080, 24)
    assert frame_size([np.zeros((24, 94, 3), np.uint8)]) == (188, 48)


def test_centres_alone_give_shift_and_stretch() -> None:
    even = np.array([10.0, 20, 30, 40])

    warps = stretch_to_median([even, even * 1.2 + 3, even])

    mapped = warps[1] @ np.stack([even, np.zeros(4), np.ones(4)])
    assert np.allclose(mapped[0], even * 1.2 + 3, atol=1e-3)
    assert np.allclose(warps[0], np.eye(3), atol=1e-5)
