"""A page with the regions that may be used, and its regions as JSON."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from ocr.dataset.pages.region import Region
from ocr.dataset.split import Split


class PageRow(NamedTuple):
    """A page whose labels were checked against its size.

    Attributes:
        image: Path relative to the dataset's root, forward slashes.
        regions: Those that can be used, and as ignored ones those that cannot.
        split: Given by the file the page stands in; None where the line splits.
        group: What must stay in one split; empty: nothing.
        source: Name of the label file.
        where: Label file and line or entry, as "det_train.txt:12".
    """

    image: str
    regions: tuple[Region, ...]
    split: Split | None
    group: str
    source: str
    where: str


def regions_to_json(regions: Sequence[Region]) -> str:
    """Write regions as a snapshot holds them; equal regions give equal text."""
    content = [
        {"polygon": region.polygon, "text": region.text, "ignored": region.ignored}
        for region in regions
    ]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def regions_from_json(content: str) -> tuple[Region, ...]:
    """Read what `regions_to_json` wrote."""
    return tuple(
        Region(tuple((x, y) for x, y in each["polygon"]), each["text"], each["ignored"])
        for each in json.loads(content)
    )
