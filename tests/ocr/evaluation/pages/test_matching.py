import numpy as np
import pytest
import shapely

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.matching import match_page
from tests.ocr.evaluation.pages.scenes import Polygon, box, region

BOW_TIE: Polygon = ((0, 0), (40, 10), (40, 0), (0, 10))
LINE: Polygon = ((0, 0), (40, 0), (40, 0), (0, 0))


def test_box_on_its_region_is_paired_and_the_others_are_missed_or_invented() -> None:
    match = match_page([region(0, 0), region(0, 50)], [box(200, 0), box(2, 1)])

    assert match.pairs == ((0, 1),)
    assert match.missed == (1,)
    assert match.invented == (0,)


@pytest.mark.parametrize(("width", "pairs"), [(40.0, 1), (20.1, 1), (20.0, 0), (19.9, 0)])
def test_only_more_than_half_of_the_union_makes_a_pair(width: float, pairs: int) -> None:
    match = match_page([region(0, 0)], [box(0, 0, width)])

    assert len(match.pairs) == pairs


def test_two_boxes_on_one_region_make_one_pair() -> None:
    match = match_page([region(0, 0)], [box(1, 0), box(0, 0)])

    assert match.pairs == ((0, 0),)
    assert match.invented == (1,)


def test_regions_take_boxes_in_their_order_while_the_optimum_is_counted_beside() -> None:
    regions = [region(0, 0, width=40), region(0, 0, width=60)]
    boxes = [box(0, 0, 45), box(0, 0, 25)]

    match = match_page(regions, boxes)

    assert match.pairs == ((0, 0),)
    assert match.optimal == 2


@pytest.mark.parametrize(("x", "counted"), [(0.0, ()), (19.0, ()), (20.0, (0,)), (200.0, (0,))])
def test_box_mostly_within_an_ignored_region_does_not_count(
    x: float, counted: tuple[int, ...]
) -> None:
    match = match_page([region(0, 0, ignored=True)], [box(x, 0)])

    assert match.boxes == counted
    assert match.truths == ()


def test_box_within_an_ignored_region_is_no_pair_of_another() -> None:
    match = match_page([region(0, 0), region(0, 0, ignored=True)], [box(0, 0)])

    assert match.pairs == ()
    assert match.missed == (0,)


@pytest.mark.parametrize(
    "outline", [BOW_TIE, LINE, (), ((0, 0), (1, 1)), ((0, 0), (np.nan, 0), (1, 1))]
)
def test_invalid_polygons_are_counted_and_left_out(outline: Polygon) -> None:
    match = match_page([Region(outline, "A"), region(0, 50)], [outline, box(0, 50)])

    assert match.skipped == 2
    assert match.pairs == ((1, 1),)
    assert match.truths == match.boxes == (1,)


@pytest.mark.parametrize("boxes", [[], np.zeros((0, 4, 2), dtype=np.float32)])
def test_page_without_boxes_misses_all(boxes: list[Polygon]) -> None:
    assert match_page([region(0, 0)], boxes).missed == (0,)


def test_page_without_regions_has_only_invented_boxes() -> None:
    assert match_page([], [box(0, 0)]).invented == (0,)


def test_slanted_polygons_are_paired_as_when_every_pair_is_measured_singly() -> None:
    rng = np.random.default_rng(0)
    corners = np.array(box(-20, -5))
    truths = rng.uniform(0, 300, (60, 1, 2)) + corners + rng.normal(0, 1, (60, 4, 2))
    boxes = (rng.permutation(truths) + rng.uniform(-4, 4, (60, 1, 2))).astype(np.float32)

    match = match_page([Region(tuple(map(tuple, p)), "A") for p in truths.tolist()], boxes)

    assert list(match.pairs) == pair_one_by_one(truths, boxes.astype(np.float64))
    assert 20 < len(match.pairs) < len(truths)


def pair_one_by_one(
    truths: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    boxes: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for i, truth in enumerate(map(shapely.Polygon, truths)):
        for j, found in enumerate(map(shapely.Polygon, boxes)):
            iou = truth.intersection(found).area / truth.union(found).area
            if iou > 0.5 and all(i != a and j != b for a, b in pairs):
                pairs.append((i, j))
    return pairs
