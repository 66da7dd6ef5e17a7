"""MMOCR's labels of pages, of its version 1: regions with a polygon or a box, and their texts.

`{"metainfo": …, "data_list": [{"img_path": …, "height": …, "width": …, "instances":
[{"polygon": [x1, y1, …], "bbox": [x1, y1, x2, y2], "text": …, "ignore": false}]}]}`
(https://mmocr.readthedocs.io/en/dev-1.x/user_guides/dataset_prepare.html).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ocr.dataset.candidate import Row
from ocr.dataset.labels.mmocr import read_items
from ocr.dataset.pages.labels.raw import (
    Points,
    RawPage,
    RawPageLabel,
    RawRegion,
    Size,
    are_numbers,
    read_region,
    read_text,
)
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.split import Split


def parse_mmocr_pages(
    items: Iterable[object], *, name: str, split: Split | None
) -> Iterator[RawPage | Rejection]:
    """Parse the items of the data list.

    Args:
        items: They, as JSON has them.
        name: Name of the file, for messages.
        split: Split its pages belong to; None where the preparation splits.
    """
    for item in read_items(items, name=name):
        if isinstance(item, Rejection):
            yield item
        else:
            label = RawPageLabel(tuple(map(_read_instance, item.instances)), _size(item.fields))
            yield Row(item.image, label, split, "", name, item.where)


def _read_instance(written: object) -> RawRegion:
    if not isinstance(written, Mapping):
        return RawRegion((), "", fault=Fault("malformed_region", "an instance is no object"))
    is_ignored = written.get("ignore") in (True, 1)
    shape: Any = written.get("polygon")
    points = _read_box(written.get("bbox"))
    fault: Fault | None = None
    if are_numbers(shape) and len(shape) % 2 == 0:
        points = tuple(zip(shape[::2], shape[1::2], strict=True))
    elif shape is not None or not points:
        fault = Fault("malformed_region", "expected a polygon [x1, y1, x2, y2, ...] or a bbox")
    return read_region(
        points,
        read_text(written.get("text")),
        ignored=is_ignored,
        starts_reading=bool(shape),
        fault=fault,
    )


def _read_box(box: Any) -> Points:
    if not are_numbers(box) or len(box) != 4:
        return ()
    left, top, right, bottom = box
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _size(page: Mapping[str, Any]) -> Size | None:
    width, height = page.get("width"), page.get("height")
    return (width, height) if isinstance(width, int) and isinstance(height, int) else None
