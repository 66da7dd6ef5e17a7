"""What a recogniser of PaddleOCR takes and gives, as its checkpoint says."""

from dataclasses import dataclass
from pathlib import Path

from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.loop.checkpoint import read_json
from training.paddleocr.checkpoint import SPEC


@dataclass(frozen=True)
class ExportedRecogniser:
    """What a net takes and gives.

    Attributes:
        net: Its config in PaddleOCR's tree, or its family.
        tree: Digest of the tree that trained it.
        input: What the image of a line becomes before it.
        charset: The characters of classes 1 and up; class 0 is the blank.
    """

    net: str
    tree: str
    input: LineSpec
    charset: tuple[str, ...]


def read_spec(checkpoint: Path) -> ExportedRecogniser:
    """Read the spec.

    Raises:
        BadData: It is damaged.
    """
    spec = read_json(checkpoint / SPEC, ExportedRecogniser)
    Charset(spec.charset)
    return spec
