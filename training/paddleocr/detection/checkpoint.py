"""What a detector of PaddleOCR takes and gives, as its checkpoint says."""

from dataclasses import dataclass

from ocr.models.detector_spec import BoxRule, PageSpec


@dataclass(frozen=True)
class ExportedDetector:
    """What a net takes, and how its map becomes boxes.

    Attributes:
        net: Its config in PaddleOCR's tree, or its family.
        tree: Digest of the tree that trained it.
        input: What a page becomes before it.
        boxes: The rule, tuned on validation pages.
    """

    net: str
    tree: str
    input: PageSpec
    boxes: BoxRule
