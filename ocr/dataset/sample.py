"""One labelled text-line image of a snapshot."""

from dataclasses import dataclass
from typing import Literal, get_args

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)


@dataclass(frozen=True, slots=True)
class Sample:
    """One accepted sample.

    Attributes:
        id: SHA-256 of the encoded image.
        split: Where it belongs.
        width: In pixels.
        height: In pixels.
        text: What the image reads.
        source: The label file it came from, or what rendered it.
        group: What must stay in one split; empty: nothing.
        image: Image path as written in the labels; empty for a rendered one.
    """

    id: str
    split: Split
    width: int
    height: int
    text: str
    source: str
    group: str
    image: str
