"""Draws what was read over a page."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont

from ocr.image.pixels import Image
from ocr.models.page_line import PageLine

SURE: Final = 0.9
SURE_RGB: Final = (10, 125, 90)
UNSURE_RGB: Final = (200, 80, 0)
PAPER_RGB: Final = (255, 255, 255)
PAPER_OPACITY: Final = 210  # of 255, behind the labels
TINT: Final = 48  # of 255, inside the boxes
PAGE_PX_PER_LINE_PX: Final = 600  # a page of 1200 px gets outlines of 2 px
SMALLEST_FONT_PX: Final = 11


def annotate_page(image: Image, lines: Sequence[PageLine]) -> Image:
    """Draw the box of every line, its number in reading order and its text.

    Lines of low confidence are orange. The font has Latin letters only; of other scripts the
    number is drawn alone.
    """
    page = PIL.Image.fromarray(np.ascontiguousarray(image[..., ::-1]))
    draw = PIL.ImageDraw.Draw(page, "RGBA")
    width_px = max(1, round(max(page.size) / PAGE_PX_PER_LINE_PX))
    font_px = max(SMALLEST_FONT_PX, 7 * width_px)
    font = PIL.ImageFont.load_default(font_px)
    for line in lines:
        colour = _colour(line)
        corners = [(float(x), float(y)) for x, y in line.polygon]
        draw.polygon(corners, fill=(*colour, TINT))
        draw.line([*corners, corners[0]], fill=colour, width=width_px)
    for number, line in enumerate(lines, 1):  # over all boxes
        _label(draw, number, line, font=font, height_px=1.2 * font_px)
    return np.ascontiguousarray(np.asarray(page)[..., ::-1])


def _label(
    draw: PIL.ImageDraw.ImageDraw,
    number: int,
    line: PageLine,
    *,
    font: PIL.ImageFont.FreeTypeFont | PIL.ImageFont.ImageFont,
    height_px: float,
) -> None:
    label = f"{number} {line.text}" if _is_latin(line.text) else str(number)
    place = (
        max(0.0, min(x for x, _ in line.polygon)),
        max(0.0, min(y for _, y in line.polygon) - height_px),
    )
    draw.rectangle(draw.textbbox(place, label, font=font), fill=(*PAPER_RGB, PAPER_OPACITY))
    draw.text(place, label, font=font, fill=_colour(line))


def _colour(line: PageLine) -> tuple[int, int, int]:
    return SURE_RGB if line.confidence >= SURE else UNSURE_RGB


def _is_latin(text: str) -> bool:
    return all(character < "\u0180" for character in text)
