"""The items of MMOCR's labels, version 1, which those of lines and of pages share.

`{"metainfo": …, "data_list": [{"img_path": …, "instances": […]}]}`
(https://mmocr.readthedocs.io/en/dev-1.x/user_guides/dataset_prepare.html).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ocr.dataset.quarantine import Rejection

FIELD = "data_list"


class Item(NamedTuple):
    """What the data list says of one image.

    Attributes:
        where: The file and the number of the image.
        image: Path of the image.
        instances: Its texts, each as JSON has it.
        fields: All that is said.
    """

    where: str
    image: str
    instances: list[Any]
    fields: Mapping[str, Any]


def read_items(items: Iterable[object], *, name: str) -> Iterator[Item | Rejection]:
    """Read the items of the data list.

    Args:
        items: They, as JSON has them.
        name: Name of the file, for messages.
    """
    for number, item in enumerate(items, start=1):
        fields: Mapping[str, Any] = item if isinstance(item, Mapping) else {}
        image, instances = fields.get("img_path"), fields.get("instances")
        where = f"{name} image {number}"
        if isinstance(image, str) and image.strip() and isinstance(instances, list):
            yield Item(where, image.strip(), instances, fields)
        else:
            yield Rejection("malformed_row", where, "", "", "expected img_path and instances")
