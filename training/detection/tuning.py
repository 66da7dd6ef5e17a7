"""Tunes on validation pages the rule by which a map becomes boxes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ocr.evaluation.pages.detection import DetectionReport
from ocr.evaluation.pages.matching import match_page
from ocr.image.cropping import CROP_MARGIN
from ocr.models.detector_spec import BoxRule
from training.detection.validation import PageMap, measure_rule

START = BoxRule(threshold=0.4, box_threshold=0.6, unclip_ratio=1.6, crop_unclip_ratio=2.0)
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
BOX_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
UNCLIP_RATIOS = (0.6, 0.9, 1.2, 1.5, 1.8, 2.2, 2.6)
FINE_STEPS = (-0.2, -0.1, 0.0, 0.1, 0.2)
COARSE_RATIOS = (0.6, 1.0, 1.6)

PROBE = 4.0
"""Growth per unclip ratio is measured between a ratio and one this much larger."""


def tune_rule(maps: Sequence[PageMap], *, beat: Callable[[], None]) -> BoxRule:
    """Return the rule with the best Hmean, its crops a margin larger than the labelled boxes.

    Threshold and unclip ratio are varied together, for kernels grow as the threshold falls; then
    the least score, then the ratio in small steps.

    Args:
        maps: Maps of validation pages.
        beat: Called after every rule.
    """
    pairs = product(THRESHOLDS, UNCLIP_RATIOS)
    rule, _ = find_best(maps, (_vary(START, threshold=t, ratio=u) for t, u in pairs), beat=beat)
    scores = (replace(rule, box_threshold=least) for least in BOX_THRESHOLDS)
    rule, _ = find_best(maps, scores, beat=beat)
    ratios = (round(rule.unclip_ratio + step, 2) for step in FINE_STEPS)
    fine = (_vary(rule, threshold=rule.threshold, ratio=ratio) for ratio in ratios)
    rule, _ = find_best(maps, fine, beat=beat)
    return replace(rule, crop_unclip_ratio=fit_crops(maps, rule))


def find_coarse_rule(
    maps: Sequence[PageMap], *, beat: Callable[[], None]
) -> tuple[BoxRule, DetectionReport]:
    """Return the best of a few rules and its report; early in a run the ratio decides most."""
    rules = (_vary(START, threshold=START.threshold, ratio=ratio) for ratio in COARSE_RATIOS)
    return find_best(maps, rules, beat=beat)


def find_best(
    maps: Sequence[PageMap], rules: Iterable[BoxRule], *, beat: Callable[[], None]
) -> tuple[BoxRule, DetectionReport]:
    """Return the rule with the largest Hmean and its report; of equals, the one in the middle."""
    reports: dict[BoxRule, DetectionReport] = {}
    for rule in rules:
        reports[rule] = measure_rule(maps, rule)
        beat()
    most = max(report.hmean for report in reports.values())
    best = [rule for rule, report in reports.items() if report.hmean == most]
    rule = best[len(best) // 2]
    return rule, reports[rule]


def fit_crops(maps: Sequence[PageMap], rule: BoxRule) -> float:
    """Return the unclip ratio at which the median crop is as high as a labelled box and margins.

    The recogniser learns from labelled boxes with that margin, and is to meet the same.
    """
    ratios = [ratio for one in maps for ratio in _ideal_ratios(one, rule)]
    ideal = float(np.median(ratios)) if ratios else rule.unclip_ratio
    return round(max(ideal, rule.unclip_ratio / 2), 2)


def _ideal_ratios(one: PageMap, rule: BoxRule) -> Iterator[float]:
    """Yield the ratio of each found box; sides grow in proportion to the ratio."""
    probe = replace(rule, crop_unclip_ratio=rule.unclip_ratio + PROBE)
    found = one.find(probe)
    sides, larger = _shorter_sides(found.boxes), _shorter_sides(found.crop_boxes)
    regions = one.page.regions
    for truth, box in match_page(regions, found.boxes).pairs:
        corners = np.array(regions[truth].polygon, dtype=np.float32)
        if len(corners) != 4 or larger[box] <= sides[box]:
            continue
        wanted_px = _shorter_sides(corners[None])[0] * (1 + 2 * CROP_MARGIN)
        growth_px = (larger[box] - sides[box]) / PROBE
        yield float(rule.unclip_ratio + (wanted_px - sides[box]) / growth_px)


def _shorter_sides(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean length of the two shorter sides of boxes (N, 4, 2)."""
    lengths = np.linalg.norm(boxes - np.roll(boxes, -1, axis=1), axis=2)
    return np.asarray(np.minimum(lengths[:, 0] + lengths[:, 2], lengths[:, 1] + lengths[:, 3]) / 2)


def _vary(rule: BoxRule, *, threshold: float, ratio: float) -> BoxRule:
    # A crop ratio of its own would drop other boxes than the text's.
    return replace(rule, threshold=threshold, unclip_ratio=ratio, crop_unclip_ratio=ratio)
