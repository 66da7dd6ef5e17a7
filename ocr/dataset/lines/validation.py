"""What an accepted text and image look like."""

import unicodedata
from dataclasses import dataclass

from ocr.dataset.quarantine import Fault
from ocr.image.pixels import Image
from ocr.models.charset import Charset

_CONTROL_CATEGORIES = ("Cc", "Cs", "Cn", "Zl", "Zp")
# Format characters that show nothing; joiners, which some scripts need, are not among them.
_INVISIBLE = frozenset("\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e")
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


def find_text_fault(text: str, *, limits: Limits, charset: Charset | None) -> Fault | None:
    """Find what is wrong with a text; None when nothing is.

    Args:
        text: Stripped of surrounding white space.
        limits: The longest text.
        charset: The only characters allowed; None: any.
    """
    if not text:
        return Fault("empty_text", "no text")
    if len(text) > limits.max_text_length:
        return Fault(
            "text_too_long", f"{len(text)} characters, allowed are {limits.max_text_length}"
        )
    if not text.isprintable() and (hidden := _hidden_characters(text)):
        return Fault("control_character", f"holds {' '.join(hidden)}")
    if charset is not None and (unknown := charset.unknown(text)):
        return Fault("unknown_character", f"{''.join(unknown)!r} is not in the charset")
    return None


def find_size_fault(image: Image, *, limits: Limits) -> Fault | None:
    """Find out whether an image is too small to read."""
    height, width = image.shape[:2]
    if min(height, width) >= limits.min_side_px:
        return None
    return Fault("too_small", f"{width}x{height} pixels, the smallest side is {limits.min_side_px}")


def _hidden_characters(text: str) -> list[str]:
    return [
        f"U+{ord(character):04X}"
        for character in text
        if character in _INVISIBLE or unicodedata.category(character) in _CONTROL_CATEGORIES
    ]
