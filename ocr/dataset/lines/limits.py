"""What is accepted of lines; the rest is quarantined."""

from dataclasses import dataclass

from ocr.dataset.examination import ImageLimits


@dataclass(frozen=True)
class LineLimits(ImageLimits):
    """What is accepted of lines.

    Attributes:
        max_text_length: Longest text, characters.
        max_bad_share: Share of rejected rows above which a preparation stops.
        allow_illegible: Whether the marks of illegible text are learnt as text.
    """

    max_text_length: int
    max_bad_share: float
    allow_illegible: bool = False
