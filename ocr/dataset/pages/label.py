"""The label of a page: its regions, and how a snapshot holds them."""

import hashlib
import json
from typing import NamedTuple

from ocr.dataset.pages.region import Region
from ocr.dataset.quarantine import Rejection
from ocr.dataset.snapshot.held_out import digest_regions


class PageLabel(NamedTuple):
    """The regions of a page, checked against its size.

    Attributes:
        regions: Those that can be used, and as ignored ones those that cannot.
        written: How many regions the label file gave the page.
        faults: What was wrong with them.
    """

    regions: tuple[Region, ...]
    written: int
    faults: tuple[Rejection, ...]

    @property
    def shown(self) -> str:
        """What the table of rejected rows shows: different regions differ in the digest."""
        digest = hashlib.sha256(self.stored.encode()).hexdigest()
        return f"{len(self.regions)} regions ({digest[:12]})"

    @property
    def stored(self) -> str:
        """How a snapshot holds the regions: as JSON."""
        content = [
            {"polygon": region.polygon, "text": region.text, "ignored": region.ignored}
            for region in self.regions
        ]
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))

    @property
    def held(self) -> str:
        """How a test split holds the regions: their number and digest."""
        return digest_regions(self.stored)


def read_regions(stored: str) -> tuple[Region, ...]:
    """Read regions as a snapshot holds them."""
    return tuple(
        Region(tuple((x, y) for x, y in each["polygon"]), each["text"], each["ignored"])
        for each in json.loads(stored)
    )
