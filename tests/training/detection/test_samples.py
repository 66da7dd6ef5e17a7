"""The pages of a split in memory: no larger than the net needs them."""

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.models.detector_spec import PageSpec
from training.detection.samples import collect_train_pages


def test_large_pages_are_kept_little_larger_than_the_net_meets_them() -> None:
    region = Region(((400, 300), (800, 300), (800, 400), (400, 400)), "x")

    (page,) = collect_train_pages(
        [(np.zeros((900, 1200, 3), np.uint8), (region,))], spec=PageSpec(500), shrink_ratio=0.6
    )

    assert page.grey.shape == (450, 600)
    assert page.scale == 500 / 600
    assert page.shapes.bounds.tolist() == [[200, 150, 400, 200]]
