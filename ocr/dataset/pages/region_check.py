"""Judges the regions of a page whose size is known; what cannot be used is ignored, not forgotten.

A faulty region still says that there is text, so it never becomes background: it stays as an
ignored region where its corners enclose anything on the page.
"""

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from ocr.dataset.labels.hidden import find_hidden
from ocr.dataset.pages.label import PageLabel
from ocr.dataset.pages.labels import RawPage, RawRegion
from ocr.dataset.pages.labels.raw import Points
from ocr.dataset.pages.region import Region
from ocr.dataset.quarantine import Fault, Rejection
from ocr.image.rectangle import smallest_rectangle

_OVERSHOOT_PX, _OVERSHOOT_SHARE = 2.0, 0.01
_MIN_SIDE_PX = 1.0


def check_regions(page: RawPage, *, width_px: int, height_px: int) -> PageLabel:
    """Check the regions of a page.

    Corners up to 2 px or 1 % of the side outside of the page are moved onto its edge. Of two
    regions with the same corners the first stays, without a text where the two differ.

    Args:
        page: As written.
        width_px: Width of its image.
        height_px: Height of its image.
    """
    size = np.array([width_px, height_px], np.float64)
    kept: dict[object, Region] = {}
    rejections: list[Rejection] = []
    for number, raw in enumerate(page.label.regions, start=1):
        where = f"{page.where} region {number}"
        text_fault = find_hidden(raw.text) or raw.text_fault
        region, fault = _judge(raw._replace(text="") if text_fault else raw, size)
        if region is not None:
            key = frozenset(region.polygon)
            if fault is None and key in kept:
                fault = _duplicate(kept[key], region)
            kept[key] = _merge(kept[key], region) if key in kept else region
            if fault is None and not region.ignored and not region.text:
                fault = text_fault or Fault("missing_text", "no text: no line is cut out")
        if fault is not None:
            rejections.append(Rejection(fault.reason, where, page.image, raw.text, fault.detail))
    return PageLabel(tuple(kept.values()), len(page.label.regions), tuple(rejections))


def _judge(raw: RawRegion, size: NDArray[np.float64]) -> tuple[Region | None, Fault | None]:
    """The region to keep, if any, and what is wrong with it, if anything."""
    if not raw.points:
        return None, raw.fault or Fault("empty_polygon", "no corners")
    written = np.round(np.array(raw.points), 2).astype(np.float64)
    points = np.clip(written, 0, size).astype(np.float64)
    fault = raw.fault or _find_fault(written, points, size)
    if fault is None:
        return Region(_in_order(points, raw.starts_reading), raw.text, raw.ignored), None
    return _ignored(points, raw.text, size), fault


def _ignored(points: NDArray[np.float64], text: str, size: NDArray[np.float64]) -> Region | None:
    """The rectangle round what lies on the page; None where that has no area."""
    corners, side_px = smallest_rectangle(points.astype(np.float32))
    if side_px < _MIN_SIDE_PX:
        return None
    rectangle = np.clip(np.round(corners.astype(np.float64), 2), 0, size)
    return Region(_to_polygon(rectangle.astype(np.float64)), text, ignored=True)


def _find_fault(
    written: NDArray[np.float64], points: NDArray[np.float64], size: NDArray[np.float64]
) -> Fault | None:
    if len(points) < 4:
        return Fault("degenerate", f"{len(points)} corners, expected at least 4")
    allowed = np.maximum(_OVERSHOOT_PX, _OVERSHOOT_SHARE * size)
    if (np.abs(written - points) > allowed).any():
        at = np.abs(written - points).max(axis=1).argmax()
        width_px, height_px = size.astype(int)
        x, y = written[at].tolist()
        return Fault("outside_image", f"corner ({x:g}, {y:g}) on a page of {width_px}x{height_px}")
    side_px = smallest_rectangle(points.astype(np.float32))[1]
    if side_px < _MIN_SIDE_PX:
        return Fault("degenerate", f"{side_px:.2g} px high or wide, expected at least 1")
    if not Polygon(points).is_valid:
        return Fault("self_crossing", "its sides cross or touch")
    return None


def _in_order(points: NDArray[np.float64], starts_reading: bool) -> Points:
    """Corners clockwise; those of a quad that may start anywhere from the upper left."""
    x, y = points.T
    is_clockwise = (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() > 0
    if not is_clockwise:
        points = np.roll(points[::-1], 1, axis=0)
    if not starts_reading and len(points) == 4:
        first = smallest_rectangle(points.astype(np.float32))[0][0]
        nearest = int(np.square(points - first).sum(axis=1).argmin())
        points = np.roll(points, -nearest, axis=0)
    return _to_polygon(points)


def _to_polygon(points: NDArray[np.float64]) -> Points:
    return tuple((x, y) for x, y in points.tolist())


def _duplicate(first: Region, second: Region) -> Fault:
    differs = f"reads {first.text!r} and {second.text!r}: neither is cut out"
    return Fault("duplicate_region", differs if first.text != second.text else "the same corners")


def _merge(first: Region, second: Region) -> Region:
    """What is known of a place that was marked twice."""
    text = first.text if first.text == second.text else ""
    return Region(first.polygon, text, first.ignored or second.ignored)
