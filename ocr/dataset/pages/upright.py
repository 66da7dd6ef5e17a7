"""Labelled pages that lie on their side or upside down, turned as their labels say."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.image.cropping import UPRIGHT_ASPECT
from ocr.image.pixels import Image
from ocr.image.turning import ROTATIONS, Rotation, turn_image, turn_points

LEAST_LINES = 3
"""So many lines must say how a page lies: one or two may begin anywhere by chance."""

AGREEMENT = 0.8
"""This share of the lines of a page must begin on the same side of it."""

NumberedRegion = tuple[int, Region]
"""A region and its number on its page."""


def lay_upright(
    page: Image, regions: Sequence[NumberedRegion]
) -> tuple[Image, list[NumberedRegion]]:
    """Turn a page and its regions so that its lines run from left to right, as serving does.

    A page whose regions do not say so together stays as it lies.

    Args:
        page: (H, W, 3) BGR.
        regions: What of it is read.
    """
    rotation = find_turn([region for _, region in regions])
    if rotation == 0:
        return page, list(regions)
    height_px, width_px = page.shape[:2]
    turned = [
        (number, _turn(region, rotation, width_px=width_px, height_px=height_px))
        for number, region in regions
    ]
    return turn_image(page, rotation), turned


def find_turn(regions: Sequence[Region]) -> Rotation:
    """Return by how much a page must be turned for its lines to run from left to right.

    PaddleOCR and PPOCRLabel cut a quad out from its first corner on, in the direction of the
    second, so that is where a line runs. Other tools begin anywhere, which says nothing: lines
    must agree, and most of them run along their longer side. So pages of vertical lines stay, and
    pages whose quads all begin at their lower left. Quads that are nearly square and outlines of
    more corners have no say, and where most are such, nothing is turned.
    """
    lines = [line for region in regions if (line := _first_side(region)) is not None]
    if not lines:
        return 0
    rotation, agreed = Counter(rotation for rotation, _ in lines).most_common(1)[0]
    along = sum(is_long for turn, is_long in lines if turn == rotation)
    is_most = along >= LEAST_LINES and 2 * along >= len(regions)
    is_sure = is_most and agreed >= AGREEMENT * len(lines)
    return rotation if is_sure else 0


def _first_side(region: Region) -> tuple[Rotation, bool] | None:
    """Return which turn lays a line's first side level, and whether that is a long side."""
    if len(region.polygon) != 4:
        return None
    first, second, third, fourth = (complex(x, y) for x, y in region.polygon)
    along, across = second - first + third - fourth, fourth - first + third - second
    if max(abs(along), abs(across)) < UPRIGHT_ASPECT * min(abs(along), abs(across)):
        return None
    quarters = round(math.atan2(along.imag, along.real) / (math.pi / 2))
    return ROTATIONS[-quarters % 4], abs(along) > abs(across)


def _turn(region: Region, rotation: Rotation, *, width_px: int, height_px: int) -> Region:
    points = np.array(region.polygon, np.float64)
    turned = turn_points(points, rotation, width_px=width_px, height_px=height_px)
    return replace(region, polygon=tuple((x, y) for x, y in turned.tolist()))
