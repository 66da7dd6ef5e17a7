"""COCO-style polygons: `images`, `annotations` with `segmentation`, and texts where tools put them.

The text stands in `text`, `transcription`, `caption` or `utf8_string` (COCO-Text), of an
annotation or of its `attributes` (CVAT). `iscrowd`, `ignore`, `ignored`, `difficult`, `illegible`
or `legibility: illegible` mean don't-care, as the texts `*` and `###` do.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels.raw import (
    Points,
    RawPage,
    RawPageLabel,
    RawRegion,
    Size,
    are_numbers,
    read_group,
    read_json,
    read_region,
    read_text,
)
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.roots.spelling import usual_name
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.image.folder import shown_path

_TEXT_KEYS = ("text", "transcription", "caption", "utf8_string")
_IGNORED_KEYS = ("iscrowd", "ignore", "ignored", "difficult", "illegible")


def parse_coco(
    content: str, *, name: str, split: Split | None, group_field: str = ""
) -> Iterator[RawPage | Rejection]:
    """Parse a COCO file; an image without annotations is a page without text.

    Annotations of an id that two images have are nobody's, and both images are rejected.

    Args:
        content: The whole file.
        name: Name of the file, for messages.
        split: Split its pages belong to; None where the preparation splits.
        group_field: Field of an image that names its group; empty: none.

    Raises:
        BadData: When it is no COCO file.
    """
    data = read_json(content, name=name)
    images = data.get("images") if isinstance(data, Mapping) else None
    annotations = data.get("annotations") if isinstance(data, Mapping) else None
    if not isinstance(images, list) or not isinstance(annotations, list):
        raise BadData(f"{name} is no COCO file: expected an object with images and annotations")
    by_image: dict[object, list[RawRegion]] = {}
    pages: list[Mapping[str, Any]] = []
    files = _files_by_id(images)
    for number, image in enumerate(images, start=1):
        fault = _form_fault(image) or _id_fault(image, files[image["id"]], by_image)
        if fault:
            yield Rejection("malformed_row", f"{name} image {number}", "", f"{image!r:.60}", fault)
        else:
            by_image[image["id"]] = []
            pages.append(image)
    for number, annotation in enumerate(annotations, start=1):
        key = annotation.get("image_id") if isinstance(annotation, Mapping) else None
        if isinstance(key, int | str) and key in by_image:
            by_image[key].append(_read_annotation(annotation))
        elif not isinstance(key, int | str) or key not in files:
            where, shown = f"{name} annotation {number}", f"{annotation!r:.60}"
            yield Rejection("malformed_row", where, "", shown, f"there is no image {key!r}")
    for image in pages:
        regions, where = tuple(by_image[image["id"]]), f"{name} image {image['id']}"
        label = RawPageLabel(regions, _size(image))
        group = read_group(image, group_field)
        yield Row(image["file_name"], label, split, group, name, where)


def _files_by_id(images: list[Any]) -> dict[object, dict[str, None]]:
    """Files of the images of each id, once each: an image that is listed twice is one."""
    files: dict[object, dict[str, None]] = {}
    for image in images:
        if isinstance(image, Mapping) and isinstance(key := image.get("id"), int | str):
            files.setdefault(key, {})[_file_of(image)] = None
    return files


def _file_of(image: Mapping[str, Any]) -> str:
    """Return the path of an image in one spelling; empty: it has none."""
    written = image.get("file_name")
    if not isinstance(written, str) or not written.strip():
        return ""
    return usual_name(written.strip())


def _form_fault(image: object) -> str:
    if not isinstance(image, Mapping) or not isinstance(image.get("id"), int | str):
        return "expected an object with id and file_name"
    if not isinstance(image.get("file_name"), str) or not image["file_name"].strip():
        return "expected a file_name"
    return ""


def _id_fault(
    image: Mapping[str, Any], files: Iterable[str], known: Mapping[object, object]
) -> str:
    """Say why annotations of an image's id are not its own; empty: they are."""
    other = next((file for file in files if file != _file_of(image)), None)
    if other is not None:
        named = shown_path(other) if other else "an image without file_name"
        return (
            f"its id {image['id']!r} is also that of {named}: give every image an id of its own, "
            "or name files that were joined here one by one, see dataset.more_labels"
        )
    return f"there is another image {image['id']!r}" if image["id"] in known else ""


def _size(image: Mapping[str, Any]) -> Size | None:
    width, height = image.get("width"), image.get("height")
    return (width, height) if isinstance(width, int) and isinstance(height, int) else None


def _read_annotation(annotation: Mapping[str, Any]) -> RawRegion:
    attributes = annotation.get("attributes")
    known = {**(attributes if isinstance(attributes, Mapping) else {}), **annotation}
    text = read_text(next((known[k] for k in _TEXT_KEYS if known.get(k) is not None), None))
    ignored = any(known.get(key) in (True, 1) for key in _IGNORED_KEYS)
    ignored |= known.get("legibility") == "illegible"
    points, fault = _read_shape(annotation)
    return read_region(points, text, ignored=ignored, starts_reading=False, fault=fault)


def _read_shape(annotation: Mapping[str, Any]) -> tuple[Points, Fault | None]:
    shape, rectangle = annotation.get("segmentation"), _read_box(annotation.get("bbox"))
    if isinstance(shape, Mapping):
        return rectangle, Fault("malformed_region", "a mask, expected a polygon")
    if not shape:
        return rectangle, None if rectangle else Fault("empty_polygon", "no polygon and no box")
    parts = shape if isinstance(shape, list) and not are_numbers(shape) else [shape]
    if not all(are_numbers(part) and len(part) % 2 == 0 for part in parts):
        return rectangle, Fault("malformed_region", "expected polygons [x1, y1, x2, y2, ...]")
    points = tuple(point for part in parts for point in zip(part[::2], part[1::2], strict=True))
    if len(parts) > 1:
        return points, Fault("malformed_region", f"{len(parts)} polygons, expected one")
    return points, None


def _read_box(box: Any) -> Points:
    if not are_numbers(box) or len(box) != 4:
        return ()
    x, y, width, height = box
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
