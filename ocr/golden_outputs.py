"""What a bundle promised to read: its golden images and their texts."""

import json
from dataclasses import dataclass
from pathlib import Path

from ocr.bundle import GOLDEN_INPUTS, GOLDEN_OUTPUTS
from ocr.errors import BadData


@dataclass(frozen=True)
class GoldenOutput:
    """One golden image and the text every form of the bundle read from it."""

    image: Path
    text: str


def read_golden_outputs(bundle: Path) -> list[GoldenOutput]:
    """Read the golden outputs of a bundle.

    Raises:
        BadData: There are none, or they are not readable.
    """
    try:
        outputs = json.loads((bundle / GOLDEN_OUTPUTS).read_text(encoding="utf-8"))["images"]
        golden = [
            GoldenOutput(image=bundle / GOLDEN_INPUTS / output["file"], text=str(output["text"]))
            for output in outputs
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadData(f"{GOLDEN_OUTPUTS} is unreadable: {error!r}") from error
    if not golden:
        raise BadData(f"{GOLDEN_OUTPUTS} names no image: nothing proves what the bundle reads")
    return golden
