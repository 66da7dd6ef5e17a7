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
_LABEL_KEYS = ("labels", "rectanglelabels", "polygonlabels")
_SHAPE_KEYS = ("points", "x", "rle", "radiusX", "vertices")


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
        detail = f"turned by {turned['image_rotation']!r} in Label Studio, expected 0"
        return Rejection("malformed_row", where, image, "", detail)
    groups: dict[object, list[Mapping[str, Any]]] = {}
    for number, result in enumerate(results):
        key = result.get("id")
        groups.setdefault(key if isinstance(key, str) else number, []).append(result)
    regions = (_read_region(group) for group in groups.values())
    size = next((size for r in results if (size := _size(r)) is not None), None)
    label = RawPageLabel(tuple(r for r in regions if r is not None), size)
    return Row(image, label, split, group, name, where)


def _size(result: Mapping[str, Any]) -> Size | None:
    width, height = result.get("original_width"), result.get("original_height")
    if not isinstance(width, int) or not isinstance(height, int) or min(width, height) < 1:
        return None
    return width, height


def _read_region(group: list[Mapping[str, Any]]) -> RawRegion | None:
    """One region of the results of one id; None where they are about the whole page."""
    shape = next((each for each in group if _is_shape(each)), None)
    if shape is None:
        return None
    is_ours = str(shape.get("id")).startswith(WRITTEN_ID)
    values = [value for each in group if isinstance(value := each.get("value"), Mapping)]
    texts = [_read_text(value.get("text")) for value in values]
    text: str | Fault = next((each for each in texts if each), "")
    return read_region(
        _read_shape(shape["value"], _size(shape)),
        text,
        ignored=any(map(_is_ignored, values)),
        starts_reading="points" not in shape["value"] or is_ours,
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


def _read_shape(value: Mapping[str, Any], size: Size | None) -> Points | Fault:
    if size is None:
        return Fault("malformed_region", "expected original_width and original_height")
    if "points" in value:
        points = read_points(value["points"])
    elif "width" in value:
        points = _read_rectangle(value, size)
    else:
        points = Fault("malformed_region", "expected a rectangle or a polygon")
    if isinstance(points, Fault):
        return points
    width_px, height_px = size
    return tuple((x * width_px / 100, y * height_px / 100) for x, y in points)


def _read_rectangle(value: Mapping[str, Any], size: Size) -> Points | Fault:
    """Corners in percent; the rotation is clockwise about the first, in pixels."""
    numbers = [value.get(key, 0) for key in ("x", "y", "width", "height", "rotation")]
    if not all(map(is_number, numbers)):
        return Fault("malformed_region", f"a rectangle of {numbers!r:.60}, expected numbers")
    x, y, width, height, rotation = map(float, numbers)
    cosine, sine = math.cos(math.radians(rotation)), math.sin(math.radians(rotation))
    aspect = size[0] / size[1]
    corners = ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    return tuple(
        (x + across * cosine - down / aspect * sine, y + across * aspect * sine + down * cosine)
        for across, down in corners
    )
