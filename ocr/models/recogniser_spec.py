"""What a recogniser takes: the constants a bundle carries."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class LineSpec:
    """What the image of a line becomes before the net: one size (fixed), or one height (line).

    In layout line the width follows the image's aspect, up to LINE_WIDTH_LIMIT_PX; `width_px` is
    then the width to which stock PaddleOCR pads shorter lines, and changes no pixel that is read.
    """

    layout: Literal["fixed", "line"]
    height_px: int
    width_px: int
