"""Batches of views: pure functions of the step, pixels and targets moved alike."""

import numpy as np
import pytest

from ocr.dataset.pages.region import Region
from ocr.models.detector_spec import PageSpec
from ocr.reading.detection.page_input import fit_page
from tests.training.detection.toy_pages import draw_page
from training.detection.augment import draw_view
from training.detection.batches import ViewBatchMaker
from training.detection.samples import TrainPage, collect_train_pages


def make_maker(
    pages: list[TrainPage], *, augmentation: float = 1.0, rank: int = 0
) -> ViewBatchMaker:
    return ViewBatchMaker(
        pages, 4, 160, 128, augmentation=augmentation, seed=0, rank=rank, map_px=2
    )


def draw_pages(count: int) -> list[TrainPage]:
    rng = np.random.default_rng(0)
    return collect_train_pages(
        [draw_page(rng) for _ in range(count)], spec=PageSpec(256), shrink_ratio=0.6
    )


def test_a_batch_is_the_same_whenever_it_is_made() -> None:
    pages = draw_pages(6)
    first, later = make_maker(pages), make_maker(pages)

    for step in range(4):
        first.make(step)

    for name in ("images", "kernels", "mask"):
        left, right = getattr(first.make(7), name), getattr(later.make(7), name)
        np.testing.assert_array_equal(left, right)


def test_ranks_and_steps_see_different_views() -> None:
    pages = draw_pages(6)

    here = make_maker(pages).make(3).images

    assert (here != make_maker(pages, rank=1).make(3).images).any()
    assert (here != make_maker(pages).make(4).images).any()


def test_a_batch_is_what_the_net_takes() -> None:
    batch = make_maker(draw_pages(3)).make(0)

    assert batch.images.shape == (4, 3, 128, 160)
    assert batch.images.min() >= -1
    assert batch.images.max() <= 1
    assert batch.kernels.shape == batch.mask.shape == (4, 1, 64, 80)


def test_kernels_lie_on_the_ink_whatever_the_view() -> None:
    page = np.full((300, 400, 3), 255, np.uint8)
    page[100:140, 120:300] = 0
    region = Region(((120, 100), (300, 100), (300, 140), (120, 140)), "x")
    maker = make_maker(
        collect_train_pages([(page, (region,))], spec=PageSpec(400), shrink_ratio=0.6)
    )

    drawn = 0
    for step in range(5):
        batch = maker.make(step)
        dark = batch.images[:, :1, ::2, ::2] < 0
        kernels = batch.kernels > 0
        drawn += kernels.sum()
        assert (dark & kernels).sum() >= 0.99 * kernels.sum()

    assert drawn


def test_a_page_without_text_is_drawn_too() -> None:
    blank = collect_train_pages(
        [(np.full((90, 70, 3), 255, np.uint8), ())], spec=PageSpec(256), shrink_ratio=0.6
    )

    batch = make_maker(blank).make(0)

    assert not batch.kernels.any()
    assert batch.mask.all()


def test_pages_come_in_proportion_to_the_root_of_their_regions() -> None:
    regions = tuple(
        Region(((x, 10), (x + 8, 10), (x + 8, 20), (x, 20)), "x") for x in range(10, 170, 10)
    )
    bright, dark = (np.full((64, 190, 3), value, np.uint8) for value in (255, 0))
    pages = collect_train_pages(
        [(bright, regions), (dark, regions[:1])], spec=PageSpec(256), shrink_ratio=0.6
    )
    maker = make_maker(pages, augmentation=0.0)

    images = np.concatenate([maker.make(step).images for step in range(60)])

    assert 0.7 < (images.mean(axis=(1, 2, 3)) > 0).mean() < 0.9  # 4 of 5


@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_pages_of_any_size_are_learnt_both_smaller_and_larger_than_they_are_served(
    strength: float,
) -> None:
    rng = np.random.default_rng(0)
    long_side_px = 480

    for _ in range(30):
        long_px = int(rng.integers(320, 3 * long_side_px))
        sides_px = [long_px, int(long_px * rng.uniform(0.5, 1))]
        height_px, width_px = rng.permutation(sides_px).tolist()
        image = np.full((height_px, width_px, 3), 255, np.uint8)
        (page,) = collect_train_pages([(image, ())], spec=PageSpec(long_side_px), shrink_ratio=0.6)
        matrices = [
            draw_view(page, width_px=160, height_px=128, strength=strength, rng=rng)
            for _ in range(200)
        ]

        kept = np.array(page.grey.shape[::-1]) / (width_px, height_px)
        learnt = np.linalg.norm([matrix[:, :2] for matrix in matrices], axis=1) * kept
        fitted = fit_page(image, PageSpec(long_side_px))
        served = np.array(fitted.shape[1::-1]) / (width_px, height_px)
        assert ((learnt < served).mean(axis=0) > 0.1).all(), (width_px, height_px)
        assert ((learnt > served).mean(axis=0) > 0.1).all(), (width_px, height_px)
