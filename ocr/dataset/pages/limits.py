"""What an accepted page looks like."""

from dataclasses import dataclass

from ocr.dataset.limits import Limits

_MIN_LINE_SIDE_PX = 4
"""A printed 1 on a small scan is five pixels wide."""


@dataclass(frozen=True)
class PageLimits(Limits):
    """What is accepted; the rest is quarantined.

    Attributes:
        max_text_length: Longest text of a line that is cut out, characters.
        min_side_px: Smallest side of a page.
        max_regions: Most regions on a page.
    """

    max_text_length: int = 120
    min_side_px: int = 32
    max_regions: int = 2000

    @property
    def of_lines(self) -> Limits:
        """What is accepted of the lines that pages are cut into."""
        return Limits(
            max_text_length=self.max_text_length,
            min_side_px=_MIN_LINE_SIDE_PX,
            max_pixels=self.max_pixels,
            max_bad_share=self.max_bad_share,
        )
