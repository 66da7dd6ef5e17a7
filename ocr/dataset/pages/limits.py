"""What is accepted of pages; the rest is quarantined."""

from dataclasses import dataclass

from ocr.dataset.examination import ImageLimits


@dataclass(frozen=True)
class PageLimits(ImageLimits):
    """What is accepted of pages, and of the lines that are cut out of them.

    Attributes:
        max_text_length: Longest text of a line, characters.
        max_regions: Most regions on a page.
        max_bad_share: Share of rejected pages or regions above which a preparation stops.
    """

    max_text_length: int
    max_regions: int
    max_bad_share: float
