"""What is accepted of a dataset; the rest is quarantined."""

from dataclasses import dataclass

from ocr.dataset.quarantine import Fault
from ocr.image.pixels import Image

_BYTES_PER_PIXEL = 8
_METADATA_BYTES = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What is accepted; the rest is quarantined.

    Attributes:
        max_text_length: Longest text, characters.
        min_side_px: Smallest image side.
        max_pixels: Largest image, width times height.
        max_bad_share: Share of rejected rows above which a preparation stops.
    """

    max_text_length: int = 80
    min_side_px: int = 8
    max_pixels: int = 50_000_000
    max_bad_share: float = 0.1

    @property
    def max_bytes(self) -> int:
        """Largest image file: the most pixels in 16-bit RGBA, and room for metadata."""
        return self.max_pixels * _BYTES_PER_PIXEL + _METADATA_BYTES


def find_size_fault(image: Image, *, limits: Limits) -> Fault | None:
    """Find out whether an image is too small to read."""
    height, width = image.shape[:2]
    if min(height, width) >= limits.min_side_px:
        return None
    return Fault("too_small", f"{width}x{height} pixels, the smallest side is {limits.min_side_px}")
