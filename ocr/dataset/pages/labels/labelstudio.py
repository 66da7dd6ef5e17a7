"""Label Studio's JSON export: tasks with rectangles or polygons in percent, and text areas.

All results of one `id` are one region: its shape, its labels and its text (the OCR template,
https://labelstud.io/templates/optical_character_recognition). A region labelled Ignored,
Difficult or Illegible is don't-care, as the texts `*` and `###` are. Of several annotations of a
task the ground truth counts, else the one updated last.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels.labelstudio_paths import ImageFinder
from ocr.dataset.pages.labels.raw import (
    Points,
    RawPage,
    RawPageLabel,
    RawRegion,
    Size,
    is_number,
    read_group,
    read_json,
    read_points,
    read_region,
    read_text,
)
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.image.folder import shown_path

WRITTEN_ID = "region-"
"""Ids of the regions that this project writes begin so: their first corner is where reading begins,
and Label Studio keeps ids and corners in their order. Polygons that people draw begin anywhere."""
_MOST_NAMES = 3
_IGNORED = ("ignored", "ignore", "difficult", "illegible")
_ELLIPSE = Fault("malformed_region", "an ellipse, expected a rectangle or a polygon")
_LABEL_KEYS = ("labels", "rectanglelabels", "polygonlabels")
_WITHOUT_CORNERS = ("rle", "imageDataURL", "vertices")
_SHAPE_KEYS = ("points", "x", "width", "height", *_WITHOUT_CORNERS)


def parse_labelstudio(
    content: str,
    *,
    name: str,
    split: Split | None,
    finder: ImageFinder,
    group_field: str = "",
) -> Iterator[RawPage | Rejection]:
    """Parse an export.

    Args:
        content: The whole file.
        name: Name of the file, for messages.
        split: Split its pages belong to; None where the preparation splits.
        finder: Finds the images that tasks name.
        group_field: Field of a task's data that names its group; empty: none.

    Raises:
        BadData: When it is no such export.
    """
    tasks = read_json(content, name=name)
    if not isinstance(tasks, list):
        raise BadData(f"{name} is no Label Studio export: expected a list of tasks (format JSON)")
    for number, task in enumerate(tasks, start=1):
        where = f"{name} task {number}"
        images = finder.find(task.get("data")) if isinstance(task, Mapping) else []
        image = images[0] if images else ""
        if not image or not isinstance(task.get("annotations"), list):
            expected = "expected data with an image, and annotations (format JSON, not JSON-MIN)"
            yield Rejection("malformed_row", where, image, f"{task!r:.60}", expected)
            continue
        if len(images) > 1:
            names = " or ".join(map(shown_path, images[:_MOST_NAMES]))
            detail = f"an upload of {names}; take the others out of the root"
            yield Rejection("missing_image", where, image, "", detail)
            continue
        results = _choose(task["annotations"])
        if results is None:
            yield Rejection("unconfirmed_page", where, image, "", "nobody has annotated it")
        else:
            group = read_group(task["data"], group_field)
            yield _read_page(results, image=image, group=group, name=name, where=where, split=split)


def _choose(annotations: list[Any]) -> list[Mapping[str, Any]] | None:
    finished = [
        each
        for each in annotations
        if isinstance(each, Mapping)
        and isinstance(each.get("result"), list)
        and not each.get("was_cancelled")
    ]
    if not finished:
        return None

    def standing(annotation: Mapping[str, Any]) -> tuple[bool, str, int]:
        """A correction keeps the id; only updated_at, in UTC, tells that it came last."""
        updated, number = annotation.get("updated_at"), annotation.get("id")
        return (
            annotation.get("ground_truth") is True,
            updated if isinstance(updated, str) else "",
            number if isinstance(number, int) else 0,
        )

    chosen = max(finished, key=standing)
    return [result for result in chosen["result"] if isinstance(result, Mapping)]


def _read_page(
    results: list[Mapping[str, Any]],
    *,
    image: str,
    group: str,
    name: str,
    where: str,
    split: Split | None,
) -> RawPage | Rejection:
    turned = next((r for r in results if r.get("image_rotation")), None)
    if turned is not None:
        detail = (
            f"turned by {turned['image_rotation']!r} in Label Studio, expected 0: turn it back "
            "there, or turn the image file and label it anew"
        )
        return Rejection("malformed_row", where, image, "", detail)
    size = next((size for r in results if (size := _size(r)) is not None), None)
    regions = _read_regions(results, size)
    if isinstance(regions, Fault):  # what is marked there would be background
        return Rejection(regions.reason, where, image, "", regions.detail)
    return Row(image, RawPageLabel(regions, size), split, group, name, where)


def _size(result: Mapping[str, Any]) -> Size | None:
    sides: list[Any] = [result.get(key) for key in ("original_width", "original_height")]
    if not all(is_number(side) and side >= 1 and side == int(side) for side in sides):
        return None
    width, height = map(int, sides)
    return width, height


def _read_regions(
    results: list[Mapping[str, Any]], size: Size | None
) -> tuple[RawRegion, ...] | Fault:
    """The regions of a page; a fault where nobody can tell where one of them is."""
    shapes = [result["value"] for result in results if _is_shape(result)]
    if any(key in shape for shape in shapes for key in _WITHOUT_CORNERS):
        detail = "a region is a brush mask or a vector, expected rectangles or polygons"
        return Fault("malformed_row", detail)
    if not shapes:
        return ()
    if size is None:
        detail = "no result says original_width and original_height, of which corners are percent"
        return Fault("malformed_row", detail)
    groups: dict[object, list[Mapping[str, Any]]] = {}
    for number, result in enumerate(results):
        key = result.get("id")
        groups.setdefault(key if isinstance(key, str) else number, []).append(result)
    regions = (_read_region(group, size) for group in groups.values())
    return tuple(region for region in regions if region is not None)


def _read_region(group: list[Mapping[str, Any]], size: Size) -> RawRegion | None:
    """One region of the results of one id; None where they are about the whole page."""
    shape = next((each for each in group if _is_shape(each)), None)
    if shape is None:
        return None
    is_ours = str(shape.get("id")).startswith(WRITTEN_ID)
    values = [value for each in group if isinstance(value := each.get("value"), Mapping)]
    texts = [_read_text(value.get("text")) for value in values]
    text: str | Fault = next((each for each in texts if each), "")
    return read_region(
        _read_shape(shape["value"], size),
        text,
        ignored=any(map(_is_ignored, values)),
        starts_reading="points" not in shape["value"] or is_ours,
        fault=_ELLIPSE if "radiusX" in shape["value"] else None,
    )


def _is_shape(result: Mapping[str, Any]) -> bool:
    value = result.get("value")
    return isinstance(value, Mapping) and any(key in value for key in _SHAPE_KEYS)


def _is_ignored(value: Mapping[str, Any]) -> bool:
    written = (value.get(key) for key in _LABEL_KEYS)
    labels = [label for each in written if isinstance(each, list) for label in each]
    return any(str(label).lower() in _IGNORED for label in labels)


def _read_text(written: object) -> str | Fault:
    texts = [read_text(part) for part in (written if isinstance(written, list) else [written])]
    faults = (text for text in texts if isinstance(text, Fault))
    return next(faults, None) or " ".join(filter(None, map(str, texts)))


def _read_shape(value: Mapping[str, Any], size: Size) -> Points | Fault:
    if "points" in value:
        points = read_points(value["points"])
    elif "width" in value or "radiusX" in value:
        points = _read_box(value, size)
    else:
        points = Fault("malformed_region", "expected a rectangle or a polygon")
    if isinstance(points, Fault):
        return points
    width_px, height_px = size
    return tuple((x * width_px / 100, y * height_px / 100) for x, y in points)


def _read_box(value: Mapping[str, Any], size: Size) -> Points | Fault:
    """Corners in percent of a rectangle, or of that round an ellipse.

    The rotation is clockwise in pixels, about the first corner or the ellipse's centre.
    """
    sides, start = (("radiusX", "radiusY"), -1) if "radiusX" in value else (("width", "height"), 0)
    numbers = [*(value.get(key) for key in ("x", "y", *sides)), value.get("rotation", 0)]
    if not all(map(is_number, numbers)):
        return Fault("malformed_region", f"a shape of {numbers!r:.60}, expected numbers")
    x, y, width, height, rotation = map(float, numbers)
    cosine, sine = math.cos(math.radians(rotation)), math.sin(math.radians(rotation))
    aspect = size[0] / size[1]
    left, top = start * width, start * height
    corners = ((left, top), (width, top), (width, height), (left, height))
    return tuple(
        (x + across * cosine - down / aspect * sine, y + across * aspect * sine + down * cosine)
        for across, down in corners
    )
