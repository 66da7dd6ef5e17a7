"""What a bundle promised: its golden images, and their texts or boxes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.models.bundle import GOLDEN_INPUTS, GOLDEN_OUTPUTS


@dataclass(frozen=True)
class GoldenOutput:
    """One golden image and the text every form of the bundle read from it."""

    image: Path
    text: str


@dataclass(frozen=True)
class GoldenBoxes:
    """One golden page and the boxes every form of the bundle found in it.

    Attributes:
        image: The page, in the size that the net takes.
        boxes: (N, 4, 2) corners in its pixels.
        scores: (N,).
    """

    image: Path
    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]


def read_golden_outputs(bundle: Path) -> list[GoldenOutput]:
    """Read the golden texts of a recogniser's bundle.

    Raises:
        BadData: There are none, or they are not readable.
    """
    return [
        GoldenOutput(image=golden_image(bundle, record), text=str(record["text"]))
        for record in read_records(bundle, "text")
    ]


def read_golden_boxes(bundle: Path) -> list[GoldenBoxes]:
    """Read the golden boxes of a detector's bundle.

    Raises:
        BadData: There are none, or they are not readable.
    """
    try:
        return [
            GoldenBoxes(
                image=golden_image(bundle, record),
                boxes=np.array(record["boxes"], dtype=np.float32).reshape(-1, 4, 2),
                scores=np.array(record["scores"], dtype=np.float32),
            )
            for record in read_records(bundle, "boxes", "scores")
        ]
    except (TypeError, ValueError) as error:
        raise BadData(f"{GOLDEN_OUTPUTS} is unreadable: {error!r}") from error


def read_records(bundle: Path, *keys: str) -> list[dict[str, Any]]:
    """Read what is recorded of each golden image: its file, and what `keys` name.

    Raises:
        BadData: There is none, or they are not readable.
    """
    try:
        content = json.loads((bundle / GOLDEN_OUTPUTS).read_text(encoding="utf-8"))
        records = [{key: one[key] for key in ("file", *keys)} for one in content["images"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadData(f"{GOLDEN_OUTPUTS} is unreadable: {error!r}") from error
    if not records:
        raise BadData(f"{GOLDEN_OUTPUTS} names no image: nothing proves what the bundle reads")
    return records


def golden_image(bundle: Path, record: dict[str, Any]) -> Path:
    """Path of the image that a record is of."""
    return bundle / GOLDEN_INPUTS / str(record["file"])
