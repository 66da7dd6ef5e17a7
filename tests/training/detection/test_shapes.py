"""Regions as shapes: kernels of DB, and what is drawn of them in a view."""

import numpy as np
import pytest

from ocr.dataset.pages.region import Region
from training.detection.shapes import collect_shapes, draw_targets, shrink

IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])


def box(left: float, top: float, right: float, bottom: float, *, ignored: bool = False) -> Region:
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Region(corners, "x", ignored)


def draw(*regions: Region, matrix: np.ndarray = IDENTITY) -> tuple[np.ndarray, np.ndarray]:
    shapes = collect_shapes(regions, scale=1.0, shrink_ratio=0.6)
    return draw_targets(shapes, matrix, width_px=160, height_px=64, map_px=2)


def test_a_kernel_is_moved_inwards_by_area_over_length() -> None:
    (kernel,) = shrink(np.array([(0, 0), (100, 0), (100, 20), (0, 20)], np.float32), 0.6)

    distance = 100 * 20 * (1 - 0.6**2) / 240
    assert kernel.min(axis=0) == pytest.approx([distance, distance], abs=0.02)
    assert kernel.max(axis=0) == pytest.approx([100 - distance, 20 - distance], abs=0.02)


def test_a_curved_region_has_a_kernel_inside_it() -> None:
    arch = [(0, 30), (40, 10), (80, 10), (120, 30), (120, 50), (80, 30), (40, 30), (0, 50)]

    kernels, _ = draw(Region(tuple((float(x), float(y)) for x, y in arch), "x"))

    assert kernels[10, 30]  # in the middle of the arch
    assert kernels[15, 10]
    assert not kernels[20, 30]  # under it
    assert not kernels[2:5].any()


def test_kernels_are_drawn_at_half_size_where_the_view_shows_them() -> None:
    kernels, mask = draw(box(20, 20, 120, 40), matrix=np.array([[1.0, 0, 10], [0, 1, -4]]))

    rows, columns = np.nonzero(kernels)
    distance = 100 * 20 * 0.64 / 240
    assert kernels.shape == mask.shape == (32, 80)
    assert [columns.min(), columns.max()] == pytest.approx(
        [(30 + distance) / 2, (130 - distance) / 2], abs=1
    )
    assert [rows.min(), rows.max()] == pytest.approx(
        [(16 + distance) / 2, (36 - distance) / 2], abs=1
    )
    assert mask.all()


def test_the_loss_looks_away_from_ignored_regions_but_not_from_text_in_them() -> None:
    kernels, mask = draw(box(0, 0, 160, 64, ignored=True), box(40, 20, 120, 40))

    assert kernels.any()
    np.testing.assert_array_equal(mask, kernels)


def test_what_has_no_kernel_is_ignored() -> None:
    shapes = collect_shapes([box(10, 10, 90, 10)], scale=1.0, shrink_ratio=0.6)

    assert shapes.ignored.tolist() == [True]


def test_regions_beside_the_view_are_not_drawn() -> None:
    kernels, mask = draw(box(200, 10, 300, 40), box(10, 100, 90, 120, ignored=True))

    assert not kernels.any()
    assert mask.all()
