"""The rule of boxes, tuned on maps whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from ocr.dataset.pages.region import Region
from ocr.image.cropping import CROP_MARGIN
from ocr.reading.detection.boxes import find_boxes
from training.detection.samples import LabelledPage
from training.detection.shapes import MapTarget, collect_shapes, draw_targets
from training.detection.tuning import START, find_best, find_coarse_rule, tune_rule
from training.detection.validation import PageMap, measure_loss, measure_rule

TARGET = MapTarget(map_px=1, shrink_ratio=0.6)


def silent() -> None:
    """Beat for nobody."""


def make_map(*, doubled: float = 1.0, probability: float = 0.97) -> PageMap:
    """A map that shows the kernels of four lines exactly, of a page `doubled` times as large."""
    rows = ((20, 20, 180, 36), (20, 60, 120, 84), (30, 110, 230, 130), (20, 160, 90, 172))
    shapes = [np.array([(a, b), (c, b), (c, d), (a, d)], np.float32) for a, b, c, d in rows]
    on_map = [Region(tuple(map(tuple, shape.tolist())), "x") for shape in shapes]
    on_page = [Region(tuple(map(tuple, (shape * doubled).tolist())), "x") for shape in shapes]
    identity = np.array([[1.0, 0, 0], [0, 1, 0]])
    kernels, _ = draw_targets(
        collect_shapes(on_map, scale=1.0, shrink_ratio=0.6),
        identity,
        width_px=256,
        height_px=192,
        map_px=1,
    )
    page = LabelledPage(
        regions=tuple(on_page),
        width_px=int(256 * doubled),
        height_px=int(192 * doubled),
    )
    values = 0.01 + (probability - 0.01) * kernels
    return PageMap(page, values.astype(np.float32), TARGET)


@pytest.mark.parametrize("doubled", [1.0, 2.0])
def test_the_tuned_rule_finds_every_line(doubled: float) -> None:
    maps = [make_map(doubled=doubled)]

    rule = tune_rule(maps, beat=silent)

    report = measure_rule(maps, rule)
    assert (report.precision, report.recall) == (1.0, 1.0)


def test_crops_are_a_margin_higher_than_the_labelled_boxes() -> None:
    one = make_map(doubled=2.0)

    rule = tune_rule([one], beat=silent)

    found = find_boxes(one.probabilities, rule, width_px=512, height_px=384)
    heights = sorted(np.ptp(found.crop_boxes[:, :, 1], axis=1).tolist())
    ratios = np.array(heights) / [24, 32, 40, 48]
    assert np.median(ratios) == pytest.approx(1 + 2 * CROP_MARGIN, abs=0.06)


def test_a_doubtful_map_gets_a_lower_threshold() -> None:
    maps = [make_map(probability=0.55)]

    rule = tune_rule(maps, beat=silent)

    assert rule.threshold < 0.55
    assert rule.box_threshold <= 0.55
    assert measure_rule(maps, rule).hmean == 1.0


def test_a_map_without_anything_leaves_a_rule_that_can_be_used() -> None:
    empty = make_map(probability=0.01)

    rule = tune_rule([empty], beat=silent)

    assert measure_rule([empty], rule).hmean == 0.0
    assert rule.crop_unclip_ratio > 0


def test_of_rules_that_are_as_good_the_one_in_the_middle_is_taken() -> None:
    rules = [replace(START, box_threshold=least) for least in (0.5, 0.6, 0.7, 0.8, 0.99)]

    best, report = find_best([make_map()], rules, beat=silent)

    assert [measure_rule([make_map()], rule).hmean for rule in rules] == [1.0] * 4 + [0.0]
    assert (best, report.hmean) == (rules[2], 1.0)


def test_every_rule_is_a_sign_of_life() -> None:
    beats: list[int] = []

    find_coarse_rule([make_map()], beat=lambda: beats.append(1))

    assert len(beats) == 3


def test_the_loss_of_a_right_map_is_small_and_of_a_wrong_one_large() -> None:
    right, wrong = make_map(), make_map(probability=0.02)

    assert measure_loss(right) < 0.1
    assert measure_loss(wrong) > 0.9
