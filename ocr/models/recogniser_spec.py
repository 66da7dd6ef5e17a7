"""What a recogniser takes: the constants a bundle carries."""

from dataclasses import dataclass
from typing import Literal

from ocr.errors import BadInput


@dataclass(frozen=True)
class LineSpec:
    """What the image of a line becomes before the net, and how many frames the net makes of it.

    Pixels are BGR and pixel / 127.5 - 1, as stock PaddleOCR gives them; what a net wants otherwise
    (grey, its own mean) it does itself. Bundles of earlier development versions lack the last three
    fields; their defaults are what those nets take.

    Attributes:
        layout: One size (fixed), or one height (line): the width then follows the image's aspect,
            up to LINE_WIDTH_LIMIT_PX.
        height_px: Height of the input.
        width_px: Width of the input in layout fixed. In layout line the width to which stock
            PaddleOCR pads shorter lines, and where padding is seen, we do too.
        frame_px: Input columns per output frame.
        width_multiple_px: Widths of the input are multiples of this.
        padding: Masked: the net looks away from padding, so lines of several widths share a batch,
            and the frames of padding are dropped. Seen: padding takes part in what the net reads,
            so a line is padded to a width that follows from its own alone, and all frames count.
    """

    layout: Literal["fixed", "line"]
    height_px: int
    width_px: int
    frame_px: int = 4
    width_multiple_px: int = 16
    padding: Literal["masked", "seen"] = "masked"

    def __post_init__(self) -> None:
        if self.frame_px < 1 or self.width_multiple_px % self.frame_px:
            raise BadInput(
                f"width_multiple_px is {self.width_multiple_px}, "
                f"expected a multiple of frame_px, which is {self.frame_px}"
            )
