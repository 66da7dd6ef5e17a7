"""Whether two forms of a detector find the same boxes."""

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

LEAST_IOU = 0.99
"""Least overlap of a box with its like."""

SLACK_PX = 2.0
"""Or how far apart their outlines may be: a pixel of the map that is at the threshold to the last
digit may fall on either side, and 1 px of a box 20 px high is already an overlap of 0.95."""

Boxes = NDArray[np.float32]


def compare_boxes(found: Boxes, expected: Boxes) -> str:
    """Say in what the boxes of one form differ from those of another; in nothing: empty.

    Args:
        found: (N, 4, 2) corners in page pixels, in any order.
        expected: (M, 4, 2).
    """
    if len(found) != len(expected):
        return f"finds {len(found)} boxes instead of {len(expected)}"
    centres = (found.mean(axis=1)[:, None], expected.mean(axis=1)[None])
    distances = np.linalg.norm(centres[0] - centres[1], axis=-1)
    for ours, theirs in zip(*linear_sum_assignment(distances), strict=True):
        difference = _compare(found[ours], expected[theirs])
        if difference:
            return difference
    return ""


def _compare(found: Boxes, expected: Boxes) -> str:
    ours, theirs = shapely.Polygon(found), shapely.Polygon(expected)
    apart_px = shapely.hausdorff_distance(ours.exterior, theirs.exterior)
    if apart_px <= SLACK_PX:
        return ""
    union = shapely.union(ours, theirs).area
    iou = shapely.intersection(ours, theirs).area / union if union else 0.0
    if iou >= LEAST_IOU:
        return ""
    left, top = expected.min(axis=0).tolist()
    return (
        f"finds the box at ({left:.0f}, {top:.0f}) {apart_px:.1f} px apart, IoU {iou:.3f}, "
        f"allowed is {LEAST_IOU}"
    )
