"""A page being laid out, seen straight from above: what is painted on it, and where texts lie."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from ocr.synthesis.fonts import Font
from ocr.synthesis.glyphs import Glyph, draw_glyph
from ocr.synthesis.scene import Colour, stamp

Align = Literal["left", "right", "centre"]

LABEL_MARGIN = 0.15
"""Of a text's height, around its ink: people leave a gap when they draw a box.

With it, the boxes of PP-OCRv6 have 1.5 times the area of the labelled ones, as they have on real
receipts; without it 2.1 times, so that most of them match nothing at IoU 0.5.
"""


@dataclass(frozen=True)
class Pen:
    """What texts are written with; `fonts` holds the font of every character it will write."""

    fonts: Mapping[str, Font]
    size_px: int
    ink: Colour = (20, 20, 20)
    stroke_px: int = 0
    spacing_px: int = 0

    def glyph(self, character: str) -> Glyph:
        """One character as this pen writes it."""
        return draw_glyph(
            self.fonts[character], character, size_px=self.size_px, stroke_px=self.stroke_px
        )

    def width(self, text: str) -> float:
        """How far a text moves this pen, pixels."""
        return sum(self.glyph(character).advance_px + self.spacing_px for character in text)

    def sized(self, size_px: float) -> "Pen":
        """This pen at another size."""
        return replace(self, size_px=max(round(size_px), 1))

    @cached_property
    def cap_px(self) -> int:
        """Height of its digits above the baseline, pixels."""
        return -self.glyph("0").top_px


@dataclass(frozen=True)
class Box:
    """An upright rectangle on the sheet, pixels; right and bottom are just outside."""

    left: int
    top: int
    right: int
    bottom: int

    def grown(self, margin_px: int) -> "Box":
        """This rectangle and so many pixels around it."""
        return Box(
            left=self.left - margin_px,
            top=self.top - margin_px,
            right=self.right + margin_px,
            bottom=self.bottom + margin_px,
        )

    def corners(self) -> NDArray[np.float64]:
        """Clockwise from the top left, (4, 2)."""
        across, down = (self.left, self.right), (self.top, self.bottom)
        return np.array(
            [
                (across[0], down[0]),
                (across[1], down[0]),
                (across[1], down[1]),
                (across[0], down[1]),
            ],
            np.float64,
        )


class Sheet:
    """Pixels, (H, W, 3) BGR, and the texts on them, each with the box a person would draw."""

    def __init__(self, *, width_px: int, height_px: int, paper: Colour) -> None:
        self.image = np.full((height_px, width_px, 3), paper, np.uint8)
        self.texts: list[tuple[Box, str]] = []

    @property
    def width_px(self) -> int:
        """Width of the sheet."""
        return self.image.shape[1]

    @property
    def height_px(self) -> int:
        """Height of the sheet."""
        return self.image.shape[0]

    def write(self, text: str, *, x: float, y: float, pen: Pen, align: Align = "left") -> Box:
        """Write a text, one region.

        Args:
            text: What to write; has ink.
            x: Where it begins, ends or has its middle, as `align` says.
            y: The baseline.
            pen: What to write with.
            align: Which side of the text `x` is.

        Returns:
            The box around its ink.
        """
        glyphs = [pen.glyph(character) for character in text]
        pens = np.cumsum([0.0, *(glyph.advance_px + pen.spacing_px for glyph in glyphs)])
        start = x - {"left": 0.0, "right": 1.0, "centre": 0.5}[align] * float(pens[-1])
        lefts = [round(start + at) + glyph.left_px for at, glyph in zip(pens, glyphs, strict=False)]
        pieces = [
            (glyph.ink, left, round(y) + glyph.top_px)
            for glyph, left in zip(glyphs, lefts, strict=True)
            if glyph.ink.any()
        ]
        return self.imprint(pieces, text=text, ink=pen.ink)

    def imprint(
        self, pieces: list[tuple[NDArray[np.uint8], int, int]], *, text: str, ink: Colour
    ) -> Box:
        """Print pieces of ink that are one text.

        Args:
            pieces: Coverage 0..255, (h, w), with its left and top on the sheet.
            text: What they read.
            ink: Their colour.
        """
        box = Box(
            left=min(left for _, left, _ in pieces),
            top=min(top for _, _, top in pieces),
            right=max(left + cover.shape[1] for cover, left, _ in pieces),
            bottom=max(top + cover.shape[0] for cover, _, top in pieces),
        )
        layer = np.zeros((box.bottom - box.top, box.right - box.left), np.uint8)
        for cover, left, top in pieces:
            stamp(layer, cover, left_px=left - box.left, top_px=top - box.top)
        self._blend(layer, box=box, ink=ink)
        margin_px = round(LABEL_MARGIN * (box.bottom - box.top))
        self.texts.append((box.grown(margin_px), text))
        return box

    def rule(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        ink: Colour,
        width_px: int = 1,
    ) -> None:
        """Draw a straight line."""
        cv2.line(self.image, _whole(start), _whole(end), ink, width_px, cv2.LINE_AA)

    def frame(self, box: Box, *, ink: Colour, width_px: int = 1) -> None:
        """Draw a rectangle; `cv2.FILLED` as width fills it."""
        cv2.rectangle(
            self.image, (box.left, box.top), (box.right - 1, box.bottom - 1), ink, width_px
        )

    def cut(self, height_px: int) -> None:
        """Drop what lies below a height."""
        self.image = self.image[:height_px]

    def _blend(self, layer: NDArray[np.uint8], *, box: Box, ink: Colour) -> None:
        area = self.image[box.top : box.bottom, box.left : box.right]
        cover = cv2.merge([layer] * 3).astype(np.float32) / 255
        area[:] = np.rint(area + (np.array(ink, np.float32) - area) * cover)


def _whole(point: tuple[float, float]) -> tuple[int, int]:
    return round(point[0]), round(point[1])
